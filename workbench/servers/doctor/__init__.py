"""Why a server cannot be reached: checks one by one, from the command or the address up to the first list of tools."""
