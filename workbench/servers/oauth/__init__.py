"""OAuth 2.1 sign-in at remote servers with the SDK's flow, started by the user and recorded step by step."""
