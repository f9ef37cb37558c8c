import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { operations } from "../Api.ts"
import { BadRequest, NotFound } from "../contract/errors.ts"
import { Readiness } from "../database/Readiness.ts"
import { CALENDAR_PREFIX } from "../resources/calendar-share-links/address.ts"
import { Service } from "../service.ts"
import { mcpApp } from "./mcp.ts"
import { makeSharedCalendar } from "./pages/shared-calendar.ts"
import { makeRest, REST_PREFIX, toResponse } from "./rest.ts"

const MCP_PATH = "/mcp"
/** Where a load balancer asks whether to send callers here. */
export const READY_PATH = "/health/ready"

/** The path of a request's target, without what is asked of it. */
export const pathOf = (request: HttpServerRequest.HttpServerRequest): string => request.url.split("?", 1)[0] ?? "/"

export interface HttpSettings {
  readonly publicUrl: string
  readonly requireHttps: boolean
  readonly trustProxy: boolean
}

/** Everything the process serves over HTTP: which door a path leads to. */
export const makeHttpApp = Effect.fnUntraced(function* (settings: HttpSettings) {
  const service = yield* Service
  const database = yield* Readiness
  const rest = yield* makeRest
  const sharedCalendar = yield* makeSharedCalendar
  const mcp = yield* mcpApp({ operations, publicUrl: settings.publicUrl })

  /** Ready: the database answers. */
  const ready = Effect.map(database.answers, (answers) =>
    answers
      ? HttpServerResponse.text("ready\n")
      : HttpServerResponse.text("the database does not answer\n", { status: 503 })
  )

  const route = (
    request: HttpServerRequest.HttpServerRequest
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const path = pathOf(request)
    if (path === "/health/live") return Effect.succeed(HttpServerResponse.text("live\n"))
    if (path === READY_PATH) return ready
    if (settings.requireHttps && !isHttps(request, settings.trustProxy)) {
      return Effect.map(service.refuse(plainHttp, { door: "rest", headers: {} }), toResponse)
    }
    if (path === MCP_PATH) return mcp(request)
    if (path.startsWith(CALENDAR_PREFIX)) return sharedCalendar(request)
    if (path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`)) return rest(request)
    return Effect.map(service.refuse(noSuchPage, { door: "rest", headers: {} }), toResponse)
  }

  // A bare server runs its handler uninterruptible: work would go on, and wait for a place, for clients that are gone.
  return Effect.interruptible(Effect.flatMap(HttpServerRequest.HttpServerRequest, route))
})

const plainHttp = new BadRequest({ message: "Use HTTPS: a token must not travel over plain HTTP." })
const noSuchPage = new NotFound({ message: "Nothing lives here. REST is below /v3, the MCP endpoint at /mcp." })

const isHttps = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): boolean =>
  trustProxy && request.headers["x-forwarded-proto"]?.split(",", 1)[0]?.trim().toLowerCase() === "https"
