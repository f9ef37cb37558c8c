import { DateTime, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Places } from "../../admission/concurrency/Places.ts"
import { type Bucket, windowOf } from "../../admission/windows/window.ts"
import type { Answer } from "../../contract/envelope.ts"
import type { NotFound, ServerError, ValidationFailed } from "../../contract/errors.ts"
import { GUESTS_PREFIX } from "../../domain/bookings/check-in/address.ts"
import { GuestPages } from "../../domain/bookings/check-in/GuestPages.ts"
import type { OpenedStay } from "../../domain/bookings/check-in/opened-stay.ts"
import { IdentityImageDays } from "../../platform/installation.ts"
import { GUEST_FORMS_A_MINUTE, GUEST_PAGES_A_MINUTE } from "../../platform/limits.ts"
import { partsOfTarget } from "../http/target.ts"
import { makeCounting } from "../pages/counting.ts"
import { type Document, documentResponse, PRIVATE_HEADERS } from "../pages/document.ts"
import { isLooking, recorded, retryAfter } from "../pages/secret-address.ts"
import { Arriving } from "./Arriving.ts"
import { readArrival, readPhoto, type Untaken } from "./forms.ts"
import {
  busyPage,
  failedPage,
  guestPage,
  noSuchPage,
  refusedPage,
  type Said,
  tooManyPage,
  wrongMethodPage
} from "./page.ts"

type Response = HttpServerResponse.HttpServerResponse

const MINUTE = windowOf("1m")

const bucketOf = ({ operator_id, id }: OpenedStay, looks: boolean): Bucket => ({
  key: `{op:${operator_id}}:guest_page:${id}:${looks ? "look" : "form"}`,
  scope: "guest_page",
  window: MINUTE,
  max: looks ? GUEST_PAGES_A_MINUTE : GUEST_FORMS_A_MINUTE
})

/** What is said on the page that follows a form, by the name in its address. */
const SAID: ReadonlyMap<string, string> = new Map([
  ["arrival", "Your host can now see when you arrive."],
  ["photo", "The photo has arrived. Thank you."]
])

const saidIn = (query: URLSearchParams): Said | undefined => {
  const words = SAID.get(query.get("said") ?? "")
  return words === undefined ? undefined : { how: "done", words }
}

/** Back to the page, so that reloading it sends nothing again. Relative: who asks may know the service by another address. */
const back = (form: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...PRIVATE_HEADERS, location: `?said=${form}` } })

/** Reads a form, and then does what it says in a place of the operator. */
type Take = (
  stay: OpenedStay,
  request: HttpServerRequest
) => Effect.Effect<void, Untaken | ValidationFailed | NotFound | ServerError>

/** The forms of the page, by their names in the query they are sent to. */
const makeForms = Effect.gen(function* () {
  const [pages, places, arriving] = [yield* GuestPages, yield* Places, new Arriving()]
  const arrival: Take = (stay, request) =>
    Effect.flatMap(readArrival(request), (at) => places.within(stay.operator_id, pages.tellArrival(stay, at)))
  const photo: Take = (stay, request) =>
    arriving.within(
      stay,
      Effect.flatMap(readPhoto(request), (image) =>
        places.within(stay.operator_id, pages.handIn(stay, image), image.jpeg.length)
      )
    )
  return new Map([
    ["arrival", arrival],
    ["photo", photo]
  ])
})

const own = (document: Document, status = 200): Response =>
  documentResponse(document, status, "own, at a secret address")

/** The pages of stays, below {@link GUESTS_PREFIX}: the address is the only credential. */
export const makeGuestPage = Effect.gen(function* () {
  const [pages, counted, forms] = [yield* GuestPages, yield* makeCounting, yield* makeForms]
  const keptDays = yield* IdentityImageDays

  const shown = (stay: OpenedStay, said: Said | undefined, status = 200) =>
    Effect.map(DateTime.nowAsDate, (now) => own(guestPage({ stay, now, keptDays, said }), status))

  /** The page once more, with why the form was not taken. */
  const again = (stay: OpenedStay, { status, words, retryAfter: seconds }: Untaken) =>
    Effect.map(shown(stay, { how: "error", words }, status), (page) =>
      seconds === undefined ? page : retryAfter(page, seconds)
    )

  const told = (stay: OpenedStay, request: HttpServerRequest, name: string) => {
    const take = forms.get(name)
    if (take === undefined) return again(stay, { status: 400, words: "This page has no such form." })
    return Effect.as(take(stay, request), back(name)).pipe(
      Effect.catch((error) => {
        if ("status" in error) return again(stay, error)
        if (error._tag === "ServerError") return Effect.fail(error)
        return error._tag === "NotFound"
          ? Effect.succeed(nothingThere)
          : again(stay, { status: 422, words: error.message })
      })
    )
  }

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const [path, search] = partsOfTarget(request.url)
    const stay = yield* pages.open(path.slice(GUESTS_PREFIX.length))
    if (Option.isNone(stay)) return nothingThere
    const looks = isLooking(request)
    const wait = yield* counted(bucketOf(stay.value, looks))
    if (Option.isSome(wait)) return tooMany(wait.value)
    const query = new URLSearchParams(search)
    return yield* looks ? shown(stay.value, saidIn(query)) : told(stay.value, request, query.get("form") ?? "")
  })

  return (request: HttpServerRequest): Effect.Effect<Response> =>
    isLooking(request) || request.method === "POST"
      ? recorded(request, "guest page", answer(request), { busy, failed })
      : Effect.succeed(wrongMethod)
})

/** What this door answers that may not be opened as it was asked for: over plain HTTP. */
export const guestRefusal = ({ envelope }: Answer): Response =>
  documentResponse(refusedPage(envelope.error_msg), envelope.error_code)

const nothingThere = documentResponse(noSuchPage, 404)
const failed = documentResponse(failedPage, 500)
const busy = (seconds: number) => retryAfter(documentResponse(busyPage, 503), seconds)
const tooMany = (seconds: number) => retryAfter(documentResponse(tooManyPage(seconds), 429), seconds)
const wrongMethod = HttpServerResponse.setHeader(documentResponse(wrongMethodPage, 405), "allow", "GET, HEAD, POST")
