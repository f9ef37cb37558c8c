import { DateTime, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { type Bucket, windowOf } from "../../admission/windows/rate-window.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { NotFound, ServerError, ValidationFailed } from "../../contract/errors.ts"
import { GuestPortal } from "../../domain/bookings/check-in/GuestPortal.ts"
import type { GuestPortalStay } from "../../domain/bookings/check-in/guest-portal-stay.ts"
import { GUEST_PORTAL_PREFIX } from "../../domain/bookings/check-in/guest-portal-url.ts"
import { IdentityImageRetentionDays } from "../../platform/installation.ts"
import { GUEST_PORTAL_FORMS_A_MINUTE, GUEST_PORTAL_VIEWS_A_MINUTE } from "../../platform/limits.ts"
import { splitTarget } from "../http/paths.ts"
import { type HtmlPage, PRIVATE_PAGE_HEADERS, toPageResponse } from "../pages/html-page.ts"
import { makeRateLimiter } from "../pages/rate-limiter.ts"
import { isReadMethod, traceAndLogResponse, withRetryAfter } from "../pages/secret-url-responses.ts"
import { type GuestFormError, readArrivalTime, readPhotoForm } from "./forms.ts"
import { PhotoUploadPermits } from "./PhotoUploadPermits.ts"
import {
  busyPage,
  failedPage,
  methodNotAllowedPage,
  notFoundPage,
  type PortalMessage,
  rejectedPage,
  renderPortalPage,
  tooManyPage
} from "./portal-page.ts"

type Response = HttpServerResponse.HttpServerResponse

const MINUTE = windowOf("1m")

const toRateLimitBucket = ({ operator_id, id }: GuestPortalStay, isView: boolean): Bucket => ({
  key: `{op:${operator_id}}:guest_page:${id}:${isView ? "look" : "form"}`,
  scope: "guest_page",
  window: MINUTE,
  max: isView ? GUEST_PORTAL_VIEWS_A_MINUTE : GUEST_PORTAL_FORMS_A_MINUTE
})

const DONE_MESSAGES: ReadonlyMap<string, string> = new Map([
  ["arrival", "Your host can now see when you arrive."],
  ["photo", "The photo has arrived. Thank you."]
])

const readDoneMessage = (query: URLSearchParams): PortalMessage | undefined => {
  const text = DONE_MESSAGES.get(query.get("said") ?? "")
  return text === undefined ? undefined : { kind: "done", text }
}

/**
 * Redirects so that a reload does not send the form again. The URL is relative, because guests may use another host
 * name.
 */
const redirectToPortal = (form: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...PRIVATE_PAGE_HEADERS, location: `?said=${form}` } })

/** A handler receives the form before it acquires a permit. */
type FormHandler = (
  stay: GuestPortalStay,
  request: HttpServerRequest
) => Effect.Effect<void, GuestFormError | ValidationFailed | NotFound | ServerError>

const makeFormHandlers = Effect.gen(function* () {
  const [portal, limiter, photoPermits] = [yield* GuestPortal, yield* ConcurrencyLimiter, new PhotoUploadPermits()]
  const handleArrival: FormHandler = (stay, request) =>
    Effect.flatMap(readArrivalTime(request), (arrivalTime) =>
      limiter.withPermit(stay.operator_id, portal.setArrivalTime(stay, arrivalTime))
    )
  const handlePhoto: FormHandler = (stay, request) =>
    photoPermits.within(
      stay,
      Effect.flatMap(readPhotoForm(request), (image) =>
        limiter.withPermit(stay.operator_id, portal.submitIdentityImage(stay, image), image.jpeg.length)
      )
    )
  return new Map([
    ["arrival", handleArrival],
    ["photo", handlePhoto]
  ])
})

const toPortalResponse = (document: HtmlPage, status = 200): Response =>
  toPageResponse(document, status, "own, at a secret address")

/** The secret URL is the only credential of the guest portal. */
export const makeGuestPortalHandler = Effect.gen(function* () {
  const [portal, checkRateLimit, forms] = [yield* GuestPortal, yield* makeRateLimiter, yield* makeFormHandlers]
  const photoRetentionDays = yield* IdentityImageRetentionDays

  const renderPortal = (stay: GuestPortalStay, message: PortalMessage | undefined, status = 200) =>
    Effect.map(DateTime.nowAsDate, (now) =>
      toPortalResponse(renderPortalPage({ stay, now, photoRetentionDays, message }), status)
    )

  const renderWithError = (stay: GuestPortalStay, { status, message: text, retryAfter: seconds }: GuestFormError) =>
    Effect.map(renderPortal(stay, { kind: "error", text }, status), (page) =>
      seconds === undefined ? page : withRetryAfter(page, seconds)
    )

  const handleForm = (stay: GuestPortalStay, request: HttpServerRequest, name: string) => {
    const handler = forms.get(name)
    if (handler === undefined) return renderWithError(stay, { status: 400, message: "This page has no such form." })
    return Effect.as(handler(stay, request), redirectToPortal(name)).pipe(
      Effect.catch((error) => {
        if ("status" in error) return renderWithError(stay, error)
        if (error._tag === "ServerError") return Effect.fail(error)
        return error._tag === "NotFound"
          ? Effect.succeed(notFoundResponse)
          : renderWithError(stay, { status: 422, message: error.message })
      })
    )
  }

  const respond = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const [path, search] = splitTarget(request.url)
    const stay = yield* portal.open(path.slice(GUEST_PORTAL_PREFIX.length))
    if (Option.isNone(stay)) return notFoundResponse
    const isView = isReadMethod(request)
    const retryAfterWait = yield* checkRateLimit(toRateLimitBucket(stay.value, isView))
    if (Option.isSome(retryAfterWait)) return toTooManyResponse(retryAfterWait.value)
    const query = new URLSearchParams(search)
    return yield* isView
      ? renderPortal(stay.value, readDoneMessage(query))
      : handleForm(stay.value, request, query.get("form") ?? "")
  })

  return (request: HttpServerRequest): Effect.Effect<Response> =>
    isReadMethod(request) || request.method === "POST"
      ? traceAndLogResponse(request, "guest page", respond(request), { toBusyResponse, failedResponse })
      : Effect.succeed(methodNotAllowed)
})

export const toGuestErrorResponse = ({ envelope }: ServiceResponse): Response =>
  toPageResponse(rejectedPage(envelope.error_msg), envelope.error_code)

const notFoundResponse = toPageResponse(notFoundPage, 404)
const failedResponse = toPageResponse(failedPage, 500)
const toBusyResponse = (seconds: number) => withRetryAfter(toPageResponse(busyPage, 503), seconds)
const toTooManyResponse = (seconds: number) => withRetryAfter(toPageResponse(tooManyPage(seconds), 429), seconds)
const methodNotAllowed = HttpServerResponse.setHeader(
  toPageResponse(methodNotAllowedPage, 405),
  "allow",
  "GET, HEAD, POST"
)
