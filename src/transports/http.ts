import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest, NotFound } from "../contract/errors.ts"
import { Readiness } from "../platform/database/Readiness.ts"
import { Writing } from "../platform/database/Writing.ts"
import { Deployment, PublicClient } from "../platform/installation.ts"
import { BUSY_RETRY_SECONDS } from "../platform/limits.ts"
import { operations } from "../service/Api.ts"
import { Service } from "../service/service.ts"
import { ConnectorDoor } from "./connectors/connectors.ts"
import { ConsolePages } from "./console/console.ts"
import { type DoorName, doorAt, REFUSING } from "./doors.ts"
import { makeGuestPage } from "./guest-portal/guest-page.ts"
import { LIVE_PATH, pathOf, READY_PATH } from "./http/path.ts"
import { mcpApp } from "./mcp/mcp.ts"
import { makeImageDoor } from "./pages/image.ts"
import { makePropertyFeed } from "./property-feed/property-feed.ts"
import { makeDiscovery } from "./public-documents/discovery.ts"
import { Docs } from "./public-documents/docs.ts"
import { makeOpenApi } from "./public-documents/openapi.ts"
import { makeRest } from "./rest/rest.ts"
import { SandboxPage } from "./sandbox-pages/sandbox.ts"
import { makeSharedCalendar } from "./shared-calendar/shared-calendar.ts"

export interface HttpSettings {
  readonly publicUrl: string
  readonly requireHttps: boolean
  readonly trustProxy: boolean
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Everything the process serves over HTTP: which door a path leads to. */
export const makeHttpApp = Effect.fnUntraced(function* (settings: HttpSettings) {
  const service = yield* Service
  const writing = yield* Writing
  const database = yield* Readiness
  const rest = yield* makeRest(settings)
  const sharedCalendar = yield* makeSharedCalendar
  const propertyFeed = yield* makePropertyFeed
  const image = yield* makeImageDoor
  const guests = yield* makeGuestPage
  const [sandbox, connectors, consolePages] = [yield* SandboxPage, yield* ConnectorDoor, yield* ConsolePages]
  const docs = yield* Docs
  const discovery = makeDiscovery(settings.publicUrl, yield* PublicClient)
  const openApi = makeOpenApi(settings.publicUrl, yield* Deployment)
  const mcp = yield* mcpApp({ operations, publicUrl: settings.publicUrl })

  /** Ready: the database answers. */
  const ready = Effect.map(database.answers, (answers) =>
    answers
      ? HttpServerResponse.text("ready\n")
      : HttpServerResponse.text("the database does not answer\n", { status: 503 })
  )

  const refuse = (name: DoorName, request: Request, error: BadRequest | NotFound) => {
    const { door, responseOf } = REFUSING[name]
    return Effect.map(service.refuse(error, { door, headers: {} }), (answer) => responseOf(answer, request))
  }

  /** A door that is not everywhere: what it does not know is told as of any unknown path. */
  const orNothing =
    (name: DoorName, door: (request: Request) => Effect.Effect<Response | undefined>) => (request: Request) =>
      Effect.flatMap(door(request), (answer) =>
        answer === undefined ? refuse(name, request, noSuchPage) : Effect.succeed(answer)
      )

  const doors: Readonly<Record<DoorName, (request: Request) => Effect.Effect<Response>>> = {
    rest,
    mcp,
    calendar: sharedCalendar,
    feed: propertyFeed,
    sandbox: orNothing("sandbox", sandbox),
    connectors: orNothing("connectors", connectors),
    image,
    guests,
    console: orNothing("console", consolePages),
    discovery: orNothing("discovery", (request) => Effect.sync(() => discovery(request))),
    openapi: orNothing("openapi", (request) => Effect.sync(() => openApi(request))),
    docs: orNothing("docs", docs),
    none: (request) => refuse("none", request, noSuchPage)
  }

  const route = (request: Request): Effect.Effect<Response> => {
    const path = pathOf(request)
    if (path === LIVE_PATH) return Effect.succeed(HttpServerResponse.text("live\n"))
    if (path === READY_PATH) return ready
    if (path === ICON_PATH) return Effect.succeed(noIcon)
    const door = doorAt(path)
    const isOpen = !settings.requireHttps || isHttps(request, settings.trustProxy)
    const refusal = isForm(door, request) ? writing.refusal() : undefined
    if (refusal !== undefined) return Effect.succeed(onlyReads(refusal))
    return isOpen ? doors[door](request) : refuse(door, request, plainHttp)
  }

  // A bare server runs its handler uninterruptible: work would go on, and wait for a place, for clients that are gone.
  return Effect.interruptible(Effect.flatMap(HttpServerRequest.HttpServerRequest, route))
})

// Browsers ask for it beside any page, without being told to.
const ICON_PATH = "/favicon.ico"
const noIcon = HttpServerResponse.empty({ status: 204, headers: { "cache-control": "public, max-age=86400" } })

const plainHttp = new BadRequest({ message: "Use HTTPS: a token or a secret address must not travel over plain HTTP." })
const noSuchPage = new NotFound({
  message: "No such page: REST is below /v3, the MCP endpoint at /mcp, the documentation at /docs."
})

/** Whether it would change something beside the operations, which have their own answer. */
const isForm = (door: DoorName, { method }: Request): boolean =>
  door !== "rest" && door !== "mcp" && !["GET", "HEAD", "OPTIONS"].includes(method)

const onlyReads = (refusal: string): Response =>
  HttpServerResponse.text(`${refusal}\n`, { status: 503, headers: { "retry-after": String(BUSY_RETRY_SECONDS) } })

const isHttps = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): boolean =>
  trustProxy && request.headers["x-forwarded-proto"]?.split(",", 1)[0]?.trim().toLowerCase() === "https"
