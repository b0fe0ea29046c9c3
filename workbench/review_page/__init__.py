"""The review page: approval requests on a paired phone."""
