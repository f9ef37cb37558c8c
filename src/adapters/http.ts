import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { operations } from "../Api.ts"
import type { Answer } from "../contract/envelope.ts"
import { BadRequest, NotFound } from "../contract/errors.ts"
import { Readiness } from "../database/Readiness.ts"
import { CALENDAR_PREFIX } from "../resources/calendar-share-links/address.ts"
import { type Call, Service } from "../service.ts"
import { rpcRefusal } from "./mcp/message.ts"
import { mcpApp } from "./mcp.ts"
import { calendarRefusal, makeSharedCalendar } from "./pages/shared-calendar.ts"
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

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What answers below a path, and the form in which it refuses. */
interface Door {
  readonly name: Call["door"]
  readonly open: (request: Request) => Effect.Effect<Response>
  readonly refusal: (answer: Answer, request: Request) => Response
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

  const refuse = (door: Pick<Door, "name" | "refusal">, request: Request, error: BadRequest | NotFound) =>
    Effect.map(service.refuse(error, { door: door.name, headers: {} }), (answer) => door.refusal(answer, request))

  const doors = {
    rest: { name: "rest", open: rest, refusal: toResponse },
    mcp: { name: "mcp", open: mcp, refusal: rpcRefusal },
    calendar: { name: "rest", open: sharedCalendar, refusal: calendarRefusal },
    none: { ...NOWHERE, open: (request) => refuse(NOWHERE, request, noSuchPage) }
  } satisfies Record<string, Door>

  const doorAt = (path: string): Door => {
    if (path === MCP_PATH) return doors.mcp
    if (path.startsWith(CALENDAR_PREFIX)) return doors.calendar
    return path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`) ? doors.rest : doors.none
  }

  const route = (request: Request): Effect.Effect<Response> => {
    const path = pathOf(request)
    if (path === "/health/live") return Effect.succeed(HttpServerResponse.text("live\n"))
    if (path === READY_PATH) return ready
    const door = doorAt(path)
    const isOpen = !settings.requireHttps || isHttps(request, settings.trustProxy)
    return isOpen ? door.open(request) : refuse(door, request, plainHttp)
  }

  // A bare server runs its handler uninterruptible: work would go on, and wait for a place, for clients that are gone.
  return Effect.interruptible(Effect.flatMap(HttpServerRequest.HttpServerRequest, route))
})

/** Outside `/v3` the status tells the truth: who asks there is a browser, or a client that looks for what is not here. */
const NOWHERE = {
  name: "rest",
  refusal: (answer: Answer): Response => HttpServerResponse.setStatus(toResponse(answer), answer.envelope.error_code)
} as const

const plainHttp = new BadRequest({ message: "Use HTTPS: a token or a secret address must not travel over plain HTTP." })
const noSuchPage = new NotFound({ message: "Nothing lives here. REST is below /v3, the MCP endpoint at /mcp." })

const isHttps = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): boolean =>
  trustProxy && request.headers["x-forwarded-proto"]?.split(",", 1)[0]?.trim().toLowerCase() === "https"
