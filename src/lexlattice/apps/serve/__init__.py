"""The web reader and the REST service, with FastAPI.

`app` builds the application from `routes` (acts), `catalogue` (everything else), `pages`, `middleware` and the handlers
in `problems`; `openapi` and `samples` describe it. `service` holds what requests share, `bodies` reads request bodies,
`jobs` is what worker processes do, `server` runs the application with uvicorn.

Nothing is imported here: `jobs`, `settings` and `workers` are also used without FastAPI.
"""
