"""OAuth 2.1 sign-in to remote servers with the SDK's flow, started by the user and recorded step by step."""
