import { ByteSize, Effect, Stream } from "effect"
import { type HttpServerError, Multipart } from "effect/http"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"
import type { IdentityImageUpload } from "../../domain/bookings/check-in/GuestPortal.ts"
import {
  ARRIVAL_LABEL,
  DOCUMENT_OWNER_LABEL,
  NO_SUCH_GUEST_MESSAGE,
  PHOTO_LABEL
} from "../../domain/bookings/check-in/guest-portal-labels.ts"
import type { ClockTime } from "../../domain/bookings/stays/stay.ts"
import { GUEST_PHOTO_MS, GUEST_PORTAL_FORM_BYTES, IMAGE_BYTES } from "../../platform/limits.ts"

export interface GuestFormError {
  readonly status: number
  readonly message: string
  readonly retryAfter?: number
}

const makeFormError = (status: number, words: string): GuestFormError => ({ status, message: words })

const notAFormError = makeFormError(415, "Send one of the forms of this page.")
const unreadableFormError = makeFormError(400, "The form could not be read. Please send it again.")
const formTooLargeError = makeFormError(413, "The form is too large.")

const hasContentType = ({ headers }: HttpServerRequest, type: string): boolean =>
  new RegExp(`^${type}\\s*(?:;|$)`, "i").test(headers["content-type"] ?? "")

const contentLength = ({ headers }: HttpServerRequest): number => Number(headers["content-length"] ?? 0)

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

const CLOCK_TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?$/

/** Returns null if the guest does not know the time. */
export const readArrivalTime = Effect.fnUntraced(function* (
  request: HttpServerRequest
): Effect.fn.Return<typeof ClockTime.Type | null, GuestFormError> {
  if (!hasContentType(request, "application/x-www-form-urlencoded")) return yield* Effect.fail(notAFormError)
  if (contentLength(request) > GUEST_PORTAL_FORM_BYTES) return yield* Effect.fail(formTooLargeError)
  const text = yield* request.text.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(GUEST_PORTAL_FORM_BYTES)),
    Effect.mapError((error) => (isTooLarge(error) ? formTooLargeError : unreadableFormError))
  )
  const [arrivalText, ...otherValues] = new URLSearchParams(text).getAll("arrival_at").map((each) => each.trim())
  if (arrivalText === undefined || otherValues.length > 0)
    return yield* Effect.fail(makeFormError(400, `${ARRIVAL_LABEL}: must be given once.`))
  if (arrivalText === "") return null
  const [, hour, minute] = CLOCK_TIME.exec(arrivalText) ?? []
  return hour === undefined || minute === undefined
    ? yield* Effect.fail(makeFormError(422, `${ARRIVAL_LABEL}: must be a time such as 16:30.`))
    : { hour: Number(hour), minute: Number(minute) }
})

const MULTIPART_OVERHEAD_BYTES = 8 * 1024
const FIELD_BYTES = 256
const MAX_PARTS = 4

const photoTooLargeError = makeFormError(
  413,
  `${PHOTO_LABEL}: must not be larger than ${IMAGE_BYTES} bytes. Choose a smaller photo.`
)
const photoTooSlowError = makeFormError(
  408,
  `${PHOTO_LABEL}: must arrive within ${GUEST_PHOTO_MS / 1000} seconds. Choose a smaller photo.`
)
const unexpectedFileError = makeFormError(400, `${PHOTO_LABEL}: must be one file. Send further photos one by one.`)
const missingPhotoError = makeFormError(422, `${PHOTO_LABEL}: choose a file first.`)
const guestFieldError = makeFormError(400, `${DOCUMENT_OWNER_LABEL}: must be given once.`)

interface PhotoFormParts {
  readonly guest?: string
  readonly jpeg?: Uint8Array
}

const addPart = (
  parts: PhotoFormParts,
  part: Multipart.Part
): Effect.Effect<PhotoFormParts, Multipart.MultipartError | GuestFormError> => {
  if (Multipart.isField(part)) {
    if (part.key !== "guest") return Effect.succeed(parts)
    return parts.guest === undefined ? Effect.succeed({ ...parts, guest: part.value }) : Effect.fail(guestFieldError)
  }
  return part.key === "photo" && parts.jpeg === undefined
    ? Effect.map(part.contentEffect, (jpeg) => ({ ...parts, jpeg }))
    : Effect.fail(unexpectedFileError)
}

const toGuestFormError = (error: Multipart.MultipartError): GuestFormError => {
  switch (error.reason._tag) {
    case "FileTooLarge":
    case "BodyTooLarge":
      return photoTooLargeError
    case "FieldTooLarge":
    case "TooManyParts":
      return formTooLargeError
    default:
      return unreadableFormError
  }
}

export const readPhotoForm = Effect.fnUntraced(function* (
  request: HttpServerRequest
): Effect.fn.Return<IdentityImageUpload, GuestFormError> {
  if (!hasContentType(request, "multipart/form-data")) return yield* Effect.fail(notAFormError)
  if (contentLength(request) > IMAGE_BYTES + MULTIPART_OVERHEAD_BYTES) return yield* Effect.fail(photoTooLargeError)
  const { guest, jpeg } = yield* Stream.runFoldEffect(
    request.multipartStream,
    (): PhotoFormParts => ({}),
    addPart
  ).pipe(
    Effect.provideService(Multipart.MaxParts, MAX_PARTS),
    Effect.provideService(Multipart.MaxFieldSize, ByteSize.bytes(FIELD_BYTES)),
    Effect.provideService(Multipart.MaxFileSize, ByteSize.bytes(IMAGE_BYTES + MULTIPART_OVERHEAD_BYTES)),
    Effect.provideService(MaxBodySize, ByteSize.bytes(IMAGE_BYTES + MULTIPART_OVERHEAD_BYTES)),
    Effect.mapError((error) => ("status" in error ? error : toGuestFormError(error))),
    Effect.timeoutOrElse({ duration: GUEST_PHOTO_MS, orElse: () => Effect.fail(photoTooSlowError) })
  )
  // The parser's limit includes the multipart headers, so the size is checked again.
  if (jpeg !== undefined && jpeg.length > IMAGE_BYTES) return yield* Effect.fail(photoTooLargeError)
  if (guest === undefined) return yield* Effect.fail(guestFieldError)
  if (jpeg === undefined || jpeg.length === 0) return yield* Effect.fail(missingPhotoError)
  if (guest === "other") return { guestId: null, jpeg }
  return /^[1-9]\d{0,14}$/.test(guest)
    ? { guestId: Number(guest), jpeg }
    : yield* Effect.fail(makeFormError(422, NO_SUCH_GUEST_MESSAGE))
})
