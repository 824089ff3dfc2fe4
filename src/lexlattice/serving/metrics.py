"""Figures for Prometheus: numbers only, nothing of any act."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from lexlattice.serving.work import Pool

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Of one service; several in one process do not mix."""

    def __init__(self, pool: Pool) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lexlattice_requests", "Requests by route and code", ["route", "code"], registry=self._registry
        )
        self._seconds = Histogram(
            "lexlattice_request_seconds",
            "Seconds until an answer was sent",
            ["route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        for name, what, value in (
            ("waiting", "Requests that wait for a worker", lambda: pool.waiting),
            ("patient", "Acts of requests for many that wait for a worker", lambda: pool.patient),
            ("running", "Jobs that are worked on", lambda: pool.running),
            ("worker_restarts", "Worker processes that had to be replaced", lambda: pool.restarts),
        ):
            Gauge(f"lexlattice_{name}", what, registry=self._registry).set_function(value)

    def count(self, route: str, code: int, seconds: float) -> None:
        """One request that was answered."""
        self._requests.labels(route, str(code)).inc()
        self._seconds.labels(route).observe(seconds)

    def page(self) -> bytes:
        """All of it in Prometheus's own format."""
        return generate_latest(self._registry)
