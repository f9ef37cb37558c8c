import { Cause, Clock, Context, DateTime, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Marketplace } from "../../connectors/sandbox/Marketplace.ts"
import { SandboxAllowed } from "../../connectors/sandbox/SandboxAllowed.ts"
import { Seeing } from "../../connectors/sandbox/Seeing.ts"
import { isPlainLoopback } from "../../service/configuration.ts"
import { partsOfTarget } from "../http/target.ts"
import { documentResponse } from "../pages/document.ts"
import { isOwnHost, isOwnOrigin } from "../pages/origin.ts"
import { makeActs } from "./acts.ts"
import { FORM_BYTES, readForm } from "./form.ts"
import { keptOf, marketPage, operatorIn, partsOf, wordPage } from "./page.ts"

/** Where the page of the sandbox is. */
export const SANDBOX_PATH = "/sandbox"

type Response = HttpServerResponse.HttpServerResponse

/** What is at {@link SANDBOX_PATH}; undefined: nothing, as at any path that nobody knows. */
export type SandboxDoor = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

/** The page of the sandbox, where the process has one. */
export const SandboxPage = Context.Reference<SandboxDoor>("latchkey/adapters/SandboxPage", {
  defaultValue: () => () => Effect.succeed(undefined)
})

/** Days of a calendar that are shown: six weeks. */
const SHOWN_DAYS = 42

const show = (seeing: Seeing["Service"], publicUrl: string) =>
  Effect.fnUntraced(function* (query: URLSearchParams) {
    const parts = partsOf(query)
    const whose = operatorIn(query)
    const rows = {
      accounts: yield* seeing.accounts(parts.accounts, whose),
      listings: yield* seeing.listings(parts.listings, whose),
      orders: yield* seeing.orders(parts.orders, whose),
      threads: yield* seeing.threads(parts.threads, whose),
      asked: yield* seeing.asked(parts.asked, whose)
    }
    const daysOf = yield* seeing.calendars(rows.listings.rows, SHOWN_DAYS)
    const now = yield* DateTime.nowAsDate
    return documentResponse(marketPage({ ...rows, parts, daysOf, query, now, publicUrl }), 200, "own", "own")
  })

/** Back to the page, with what came of it. */
const back = (name: "done" | "error", text: string, query: URLSearchParams): Response => {
  const shown = new URLSearchParams(keptOf(query))
  shown.set(name, text)
  return HttpServerResponse.empty({
    status: 303,
    headers: { location: `${SANDBOX_PATH}?${shown.toString()}`, "cache-control": "no-store" }
  })
}

const MESSAGE = 600

const refusedWith = (status: number, words: string): Response => documentResponse(wordPage(words), status, "own")

/**
 * The page of the sandbox. Nobody signs in at it, so it is where callers reach the service on this machine alone, and
 * nowhere else, be the sandbox itself there.
 */
export const layerSandboxPage = (publicUrl: string) =>
  Layer.effect(
    SandboxPage,
    Effect.gen(function* () {
      const sandbox = yield* SandboxAllowed
      const allowed = isPlainLoopback(publicUrl) ? sandbox.allowed : Effect.succeed(false)
      const looked = show(yield* Seeing, publicUrl)
      const acts = makeActs(yield* Marketplace)

      const moved = Effect.fnUntraced(function* (name: string, request: HttpServerRequest, query: URLSearchParams) {
        const act = acts.get(name)
        if (act === undefined) return undefined
        if (!isOwnOrigin(request)) return refusedWith(403, "Send a form of the sandbox page itself.")
        const form = yield* readForm(request)
        if (form === undefined) return refusedWith(400, `The body must be a form of at most ${FORM_BYTES} bytes.`)
        return yield* act(form).pipe(
          Effect.map((done) => back("done", done, query)),
          Effect.catch(({ message }) => Effect.succeed(back("error", message.slice(0, MESSAGE), query)))
        )
      })

      const answer = Effect.fnUntraced(function* (request: HttpServerRequest) {
        const [path, search] = partsOfTarget(request.url)
        const query = new URLSearchParams(search)
        const name = path.slice(SANDBOX_PATH.length + 1)
        if (!isOwnHost(request))
          return refusedWith(403, "Open the sandbox at a name of this machine, such as localhost.")
        if (request.method === "POST") return yield* moved(name, request, query)
        if (name !== "") return undefined
        const isLooking = request.method === "GET" || request.method === "HEAD"
        return isLooking ? yield* looked(query) : refusedWith(405, "This address takes GET, HEAD and POST.")
      })

      return (request) => Effect.flatMap(allowed, (isThere) => (isThere ? recorded(request, answer(request)) : none))
    })
  )

const none = Effect.succeed(undefined)

/** With its log line; what fails on our side is told there alone. */
const recorded = Effect.fnUntraced(function* (request: HttpServerRequest, answer: Effect.Effect<Response | undefined>) {
  const startedAt = yield* Clock.currentTimeMillis
  const response = yield* Effect.catchCause(answer, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.as(Effect.logError("defect", cause), refusedWith(500, "Something went wrong: the log has the cause."))
  )
  const ms = (yield* Clock.currentTimeMillis) - startedAt
  if (response !== undefined) {
    yield* Effect.logInfo(`sandbox ${request.method}`).pipe(Effect.annotateLogs({ status: response.status, ms }))
  }
  return response
})
