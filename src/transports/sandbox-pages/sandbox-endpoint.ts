import { Cause, Clock, Context, DateTime, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Marketplace } from "../../connectors/sandbox/Marketplace.ts"
import { SandboxAccess } from "../../connectors/sandbox/SandboxAccess.ts"
import { SandboxQueries } from "../../connectors/sandbox/SandboxQueries.ts"
import { isPlainLoopback } from "../../service/configuration.ts"
import { splitTarget } from "../http/paths.ts"
import { toPageResponse } from "../pages/html-page.ts"
import { isLoopbackHost, isSameOrigin } from "../pages/request-origin.ts"
import { makeFormActions } from "./form-actions.ts"
import {
  preservedQuery,
  readListRanges,
  readOperatorFilter,
  renderMarketplacePage,
  textPage
} from "./marketplace-page.ts"
import { MAX_FORM_BYTES, readSandboxForm } from "./submitted-form.ts"

export const SANDBOX_PATH = "/sandbox"

type Response = HttpServerResponse.HttpServerResponse

/** Returns undefined if the path is unknown. */
type SandboxHandler = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

export const SandboxEndpoint = Context.Reference<SandboxHandler>("latchkey/transports/sandbox-pages/SandboxEndpoint", {
  defaultValue: () => () => Effect.succeed(undefined)
})

const CALENDAR_DAYS = 42

const makeRenderer = (queries: SandboxQueries["Service"], publicUrl: string) =>
  Effect.fnUntraced(function* (query: URLSearchParams) {
    const listRanges = readListRanges(query)
    const operatorFilter = readOperatorFilter(query)
    const rows = {
      accounts: yield* queries.listAccounts(listRanges.accounts, operatorFilter),
      listings: yield* queries.listListings(listRanges.listings, operatorFilter),
      orders: yield* queries.listOrders(listRanges.orders, operatorFilter),
      threads: yield* queries.listThreads(listRanges.threads, operatorFilter),
      asked: yield* queries.listRequests(listRanges.asked, operatorFilter)
    }
    const daysOf = yield* queries.loadCalendars(rows.listings.rows, CALENDAR_DAYS)
    const now = yield* DateTime.nowAsDate
    return toPageResponse(
      renderMarketplacePage({ ...rows, listRanges, calendarOf: daysOf, query, now, publicUrl }),
      200,
      "own",
      "own"
    )
  })

const redirectWithMessage = (name: "done" | "error", text: string, query: URLSearchParams): Response => {
  const shown = new URLSearchParams(preservedQuery(query))
  shown.set(name, text)
  return HttpServerResponse.empty({
    status: 303,
    headers: { location: `${SANDBOX_PATH}?${shown.toString()}`, "cache-control": "no-store" }
  })
}

const MAX_MESSAGE_LENGTH = 600

const toErrorResponse = (status: number, text: string): Response => toPageResponse(textPage(text), status, "own")

/** The page needs no sign-in, so it exists only if the public URL is loopback. */
export const layerSandboxEndpoint = (publicUrl: string) =>
  Layer.effect(
    SandboxEndpoint,
    Effect.gen(function* () {
      const sandbox = yield* SandboxAccess
      const isAllowed = isPlainLoopback(publicUrl) ? sandbox.isAllowed : Effect.succeed(false)
      const renderSandbox = makeRenderer(yield* SandboxQueries, publicUrl)
      const actions = makeFormActions(yield* Marketplace)

      const handleForm = Effect.fnUntraced(function* (
        name: string,
        request: HttpServerRequest,
        query: URLSearchParams
      ) {
        const action = actions.get(name)
        if (action === undefined) return undefined
        if (!isSameOrigin(request)) return toErrorResponse(403, "Send a form of the sandbox page itself.")
        const form = yield* readSandboxForm(request)
        if (form === undefined)
          return toErrorResponse(400, `The body must be a form of at most ${MAX_FORM_BYTES} bytes.`)
        return yield* action(form).pipe(
          Effect.map((doneMessage) => redirectWithMessage("done", doneMessage, query)),
          Effect.catch(({ message }) =>
            Effect.succeed(redirectWithMessage("error", message.slice(0, MAX_MESSAGE_LENGTH), query))
          )
        )
      })

      const respond = Effect.fnUntraced(function* (request: HttpServerRequest) {
        const [path, search] = splitTarget(request.url)
        const query = new URLSearchParams(search)
        const name = path.slice(SANDBOX_PATH.length + 1)
        if (!isLoopbackHost(request))
          return toErrorResponse(403, "Open the sandbox at a name of this machine, such as localhost.")
        if (request.method === "POST") return yield* handleForm(name, request, query)
        if (name !== "") return undefined
        const isReadMethod = request.method === "GET" || request.method === "HEAD"
        return isReadMethod
          ? yield* renderSandbox(query)
          : toErrorResponse(405, "This address takes GET, HEAD and POST.")
      })

      return (request) =>
        Effect.flatMap(isAllowed, (isAllowedNow) => (isAllowedNow ? logResponse(request, respond(request)) : notFound))
    })
  )

const notFound = Effect.succeed(undefined)

/** The response does not show the cause of a failure; only the log does. */
const logResponse = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  respond: Effect.Effect<Response | undefined>
) {
  const startedAt = yield* Clock.currentTimeMillis
  const response = yield* Effect.catchCause(respond, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.as(
          Effect.logError("defect", cause),
          toErrorResponse(500, "Something went wrong: the log has the cause.")
        )
  )
  const ms = (yield* Clock.currentTimeMillis) - startedAt
  if (response !== undefined) {
    yield* Effect.logInfo(`sandbox ${request.method}`).pipe(Effect.annotateLogs({ status: response.status, ms }))
  }
  return response
})
