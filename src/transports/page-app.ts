import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type BadRequest, NotFound } from "../contract/errors.ts"
import { Readiness } from "../platform/database/Readiness.ts"
import { WriteAccess } from "../platform/database/WriteAccess.ts"
import { Deployment, PublicClientEnabled } from "../platform/installation.ts"
import { BUSY_RETRY_SECONDS } from "../platform/limits.ts"
import { Service } from "../service/service.ts"
import { ConnectorEndpoint } from "./connectors/connector-endpoint.ts"
import { ConsoleEndpoint } from "./console/console-endpoint.ts"
import { endpointAt, isApiEndpoint, PAGE_REJECTIONS, type PageEndpointName, transportOf } from "./endpoints.ts"
import { makeGuestPortalHandler } from "./guest-portal/guest-portal.ts"
import { type HttpSettings, isSecureRequest, plainHttpError } from "./http/https.ts"
import { LIVE_PATH, READY_PATH, requestPath } from "./http/paths.ts"
import { makeImageHandler } from "./pages/image-endpoint.ts"
import { makePropertyFeedHandler } from "./property-feed/property-feed.ts"
import { makeDiscoveryHandler } from "./public-documents/discovery.ts"
import { DocsEndpoint } from "./public-documents/docs-endpoint.ts"
import { makeOpenApiHandler } from "./public-documents/openapi-endpoint.ts"
import { SandboxEndpoint } from "./sandbox-pages/sandbox-endpoint.ts"
import { makeSharedCalendarHandler } from "./shared-calendar/shared-calendar.ts"
import { TestEndpoint } from "./test-endpoint/test-endpoint.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export const makePages = Effect.fnUntraced(function* (settings: HttpSettings) {
  const service = yield* Service
  const writeMode = yield* WriteAccess
  const readyResponse = Effect.map((yield* Readiness).isReady, toReadyResponse)
  const [sandbox, connectors, consolePages] = [yield* SandboxEndpoint, yield* ConnectorEndpoint, yield* ConsoleEndpoint]
  const [docs, testRoutes] = [yield* DocsEndpoint, yield* TestEndpoint]
  const discovery = makeDiscoveryHandler(settings.publicUrl, yield* PublicClientEnabled)
  const openApi = makeOpenApiHandler(settings.publicUrl, yield* Deployment)

  const reject = (name: PageEndpointName, request: Request, error: BadRequest | NotFound) =>
    Effect.map(service.respondWithError(error, { transport: transportOf(name), headers: {} }), (response) =>
      PAGE_REJECTIONS[name](response, request)
    )

  const orNotFound =
    (name: PageEndpointName, handler: (request: Request) => Effect.Effect<Response | undefined>) =>
    (request: Request) =>
      Effect.flatMap(handler(request), (response) =>
        response === undefined ? reject(name, request, pathNotFoundError) : Effect.succeed(response)
      )

  const handlers: Readonly<Record<PageEndpointName, (request: Request) => Effect.Effect<Response>>> = {
    calendar: yield* makeSharedCalendarHandler,
    feed: yield* makePropertyFeedHandler,
    sandbox: orNotFound("sandbox", sandbox),
    connectors: orNotFound("connectors", connectors),
    image: yield* makeImageHandler,
    guests: yield* makeGuestPortalHandler,
    console: orNotFound("console", consolePages),
    discovery: orNotFound("discovery", (request) => Effect.sync(() => discovery(request))),
    openapi: orNotFound("openapi", (request) => Effect.sync(() => openApi(request))),
    docs: orNotFound("docs", docs),
    test: orNotFound("test", testRoutes),
    none: (request) => reject("none", request, pathNotFoundError)
  }

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Effect.Effect<Response> => {
    const path = requestPath(request)
    if (path === LIVE_PATH) return Effect.succeed(HttpServerResponse.text("live\n"))
    if (path === READY_PATH) return readyResponse
    if (path === ICON_PATH) return Effect.succeed(noIconResponse)
    const endpoint = endpointAt(path)
    if (isApiEndpoint(endpoint)) return Effect.die(new Error(`${endpoint} is no page`))
    const writesRejection = READ_METHODS.has(request.method) ? undefined : writeMode.rejectionMessage()
    if (writesRejection !== undefined) return Effect.succeed(readOnlyResponse(writesRejection))
    return isSecureRequest(request, settings) ? handlers[endpoint](request) : reject(endpoint, request, plainHttpError)
  })
})

const toReadyResponse = (isReady: boolean): Response =>
  isReady
    ? HttpServerResponse.text("ready\n")
    : HttpServerResponse.text("the database does not answer\n", { status: 503 })

const ICON_PATH = "/favicon.ico"
const noIconResponse = HttpServerResponse.empty({ status: 204, headers: { "cache-control": "public, max-age=86400" } })

const pathNotFoundError = new NotFound({
  message: "No such page: REST is below /v3, the MCP endpoint at /mcp, the documentation at /docs."
})

/** Pages accept only these methods while the database is read-only. Operations have their own error. */
const READ_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

const readOnlyResponse = (reason: string): Response =>
  HttpServerResponse.text(`${reason}\n`, { status: 503, headers: { "retry-after": String(BUSY_RETRY_SECONDS) } })
