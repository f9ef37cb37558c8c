import type { HttpServerRequest } from "effect/http"

/** Where a service manager asks whether the process lives. */
export const LIVE_PATH = "/health/live"
/** Where a load balancer asks whether to send callers here. */
export const READY_PATH = "/health/ready"

/** The path of a request's target, without what is asked of it. */
export const requestPath = (request: HttpServerRequest.HttpServerRequest): string => request.url.split("?", 1)[0] ?? "/"
