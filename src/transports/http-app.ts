import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest, NotFound } from "../contract/errors.ts"
import { Readiness } from "../platform/database/Readiness.ts"
import { WriteAccess } from "../platform/database/WriteAccess.ts"
import { Deployment, PublicClientEnabled } from "../platform/installation.ts"
import { BUSY_RETRY_SECONDS } from "../platform/limits.ts"
import { operations } from "../service/Api.ts"
import { Service } from "../service/service.ts"
import { ConnectorEndpoint } from "./connectors/connector-endpoint.ts"
import { ConsoleEndpoint } from "./console/console-endpoint.ts"
import { type EndpointName, endpointAt, REJECTION_FORMATS } from "./endpoints.ts"
import { makeGuestPortalHandler } from "./guest-portal/guest-portal.ts"
import { LIVE_PATH, READY_PATH, requestPath } from "./http/paths.ts"
import { makeMcpHandler } from "./mcp/mcp-endpoint.ts"
import { makeImageHandler } from "./pages/image-endpoint.ts"
import { makePropertyFeedHandler } from "./property-feed/property-feed.ts"
import { makeDiscoveryHandler } from "./public-documents/discovery.ts"
import { DocsEndpoint } from "./public-documents/docs-endpoint.ts"
import { makeOpenApiHandler } from "./public-documents/openapi-endpoint.ts"
import { makeRestHandler } from "./rest/rest-endpoint.ts"
import { SandboxEndpoint } from "./sandbox-pages/sandbox-endpoint.ts"
import { makeSharedCalendarHandler } from "./shared-calendar/shared-calendar.ts"

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
  const writeMode = yield* WriteAccess
  const readyResponse = Effect.map((yield* Readiness).isReady, toReadyResponse)
  const rest = yield* makeRestHandler(settings)
  const sharedCalendar = yield* makeSharedCalendarHandler
  const propertyFeed = yield* makePropertyFeedHandler
  const image = yield* makeImageHandler
  const guests = yield* makeGuestPortalHandler
  const [sandbox, connectors, consolePages] = [yield* SandboxEndpoint, yield* ConnectorEndpoint, yield* ConsoleEndpoint]
  const docs = yield* DocsEndpoint
  const discovery = makeDiscoveryHandler(settings.publicUrl, yield* PublicClientEnabled)
  const openApi = makeOpenApiHandler(settings.publicUrl, yield* Deployment)
  const mcp = yield* makeMcpHandler({ operations, publicUrl: settings.publicUrl })

  const reject = (name: EndpointName, request: Request, error: BadRequest | NotFound) => {
    const { transport, toResponse } = REJECTION_FORMATS[name]
    return Effect.map(service.respondWithError(error, { transport, headers: {} }), (answer) =>
      toResponse(answer, request)
    )
  }

  /** A door that is not everywhere: what it does not know is told as of any unknown path. */
  const orNotFound =
    (name: EndpointName, handler: (request: Request) => Effect.Effect<Response | undefined>) => (request: Request) =>
      Effect.flatMap(handler(request), (answer) =>
        answer === undefined ? reject(name, request, pathNotFoundError) : Effect.succeed(answer)
      )

  const handlers: Readonly<Record<EndpointName, (request: Request) => Effect.Effect<Response>>> = {
    rest,
    mcp,
    calendar: sharedCalendar,
    feed: propertyFeed,
    sandbox: orNotFound("sandbox", sandbox),
    connectors: orNotFound("connectors", connectors),
    image,
    guests,
    console: orNotFound("console", consolePages),
    discovery: orNotFound("discovery", (request) => Effect.sync(() => discovery(request))),
    openapi: orNotFound("openapi", (request) => Effect.sync(() => openApi(request))),
    docs: orNotFound("docs", docs),
    none: (request) => reject("none", request, pathNotFoundError)
  }

  const route = (request: Request): Effect.Effect<Response> => {
    const path = requestPath(request)
    if (path === LIVE_PATH) return Effect.succeed(HttpServerResponse.text("live\n"))
    if (path === READY_PATH) return readyResponse
    if (path === ICON_PATH) return Effect.succeed(noIconResponse)
    const endpoint = endpointAt(path)
    const isSecureEnough = !settings.requireHttps || isHttps(request, settings.trustProxy)
    const writesRejection = isFormSubmission(endpoint, request) ? writeMode.rejectionMessage() : undefined
    if (writesRejection !== undefined) return Effect.succeed(readOnlyResponse(writesRejection))
    return isSecureEnough ? handlers[endpoint](request) : reject(endpoint, request, plainHttpError)
  }

  // A bare server runs its handler uninterruptible: work would go on, and wait for a place, for clients that are gone.
  return Effect.interruptible(Effect.flatMap(HttpServerRequest.HttpServerRequest, route))
})

/** Ready: the database answers. */
const toReadyResponse = (isReady: boolean): Response =>
  isReady
    ? HttpServerResponse.text("ready\n")
    : HttpServerResponse.text("the database does not answer\n", { status: 503 })

// Browsers ask for it beside any page, without being told to.
const ICON_PATH = "/favicon.ico"
const noIconResponse = HttpServerResponse.empty({ status: 204, headers: { "cache-control": "public, max-age=86400" } })

const plainHttpError = new BadRequest({
  message: "Use HTTPS: a token or a secret address must not travel over plain HTTP."
})
const pathNotFoundError = new NotFound({
  message: "No such page: REST is below /v3, the MCP endpoint at /mcp, the documentation at /docs."
})

/** Whether it would change something beside the operations, which have their own answer. */
const isFormSubmission = (endpoint: EndpointName, { method }: Request): boolean =>
  endpoint !== "rest" && endpoint !== "mcp" && !["GET", "HEAD", "OPTIONS"].includes(method)

const readOnlyResponse = (reason: string): Response =>
  HttpServerResponse.text(`${reason}\n`, { status: 503, headers: { "retry-after": String(BUSY_RETRY_SECONDS) } })

const isHttps = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): boolean =>
  trustProxy && request.headers["x-forwarded-proto"]?.split(",", 1)[0]?.trim().toLowerCase() === "https"
