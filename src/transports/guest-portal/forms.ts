import { ByteSize, Effect, Stream } from "effect"
import { type HttpServerError, Multipart } from "effect/http"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"
import type { HandedImage } from "../../domain/bookings/check-in/GuestPages.ts"
import { ARRIVAL, NO_SUCH_GUEST, PHOTO, WHOSE } from "../../domain/bookings/check-in/labels.ts"
import type { ClockTime } from "../../domain/bookings/stays/stay.ts"
import { GUEST_FORM_BYTES, GUEST_PHOTO_MS, IMAGE_BYTES } from "../../platform/limits.ts"

/** Why a form was not taken, and the status that says so. */
export interface Untaken {
  readonly status: number
  readonly words: string
  readonly retryAfter?: number
}

const untaken = (status: number, words: string): Untaken => ({ status, words })

const notForm = untaken(415, "Send one of the forms of this page.")
const unread = untaken(400, "The form could not be read. Please send it again.")
const formTooLarge = untaken(413, "The form is too large.")

const isOfType = ({ headers }: HttpServerRequest, type: string): boolean =>
  new RegExp(`^${type}\\s*(?:;|$)`, "i").test(headers["content-type"] ?? "")

const lengthOf = ({ headers }: HttpServerRequest): number => Number(headers["content-length"] ?? 0)

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?$/

/** The time of a form that says when the guest arrives; null: it is not known. */
export const readArrival = Effect.fnUntraced(function* (
  request: HttpServerRequest
): Effect.fn.Return<typeof ClockTime.Type | null, Untaken> {
  if (!isOfType(request, "application/x-www-form-urlencoded")) return yield* Effect.fail(notForm)
  if (lengthOf(request) > GUEST_FORM_BYTES) return yield* Effect.fail(formTooLarge)
  const text = yield* request.text.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(GUEST_FORM_BYTES)),
    Effect.mapError((error) => (isTooLarge(error) ? formTooLarge : unread))
  )
  const [at, ...more] = new URLSearchParams(text).getAll("arrival_at").map((each) => each.trim())
  if (at === undefined || more.length > 0) return yield* Effect.fail(untaken(400, `${ARRIVAL}: must be given once.`))
  if (at === "") return null
  const [, hour, minute] = CLOCK.exec(at) ?? []
  return hour === undefined || minute === undefined
    ? yield* Effect.fail(untaken(422, `${ARRIVAL}: must be a time such as 16:30.`))
    : { hour: Number(hour), minute: Number(minute) }
})

/** Bytes of the form around a photo, of one of its fields, and parts it may have. */
const AROUND_BYTES = 8 * 1024
const FIELD_BYTES = 256
const PARTS = 4

const photoTooLarge = untaken(413, `${PHOTO}: must not be larger than ${IMAGE_BYTES} bytes. Choose a smaller photo.`)
const photoTooSlow = untaken(
  408,
  `${PHOTO}: must arrive within ${GUEST_PHOTO_MS / 1000} seconds. Choose a smaller photo.`
)
const onePhoto = untaken(400, `${PHOTO}: must be one file. Send further photos one by one.`)
const noPhoto = untaken(422, `${PHOTO}: choose a file first.`)
const noGuest = untaken(400, `${WHOSE}: must be given once.`)

interface Parts {
  readonly guest?: string
  readonly jpeg?: Uint8Array
}

const withPart = (parts: Parts, part: Multipart.Part): Effect.Effect<Parts, Multipart.MultipartError | Untaken> => {
  if (Multipart.isField(part)) {
    if (part.key !== "guest") return Effect.succeed(parts)
    return parts.guest === undefined ? Effect.succeed({ ...parts, guest: part.value }) : Effect.fail(noGuest)
  }
  return part.key === "photo" && parts.jpeg === undefined
    ? Effect.map(part.contentEffect, (jpeg) => ({ ...parts, jpeg }))
    : Effect.fail(onePhoto)
}

const ofMultipart = (error: Multipart.MultipartError): Untaken => {
  switch (error.reason._tag) {
    case "FileTooLarge":
    case "BodyTooLarge":
      return photoTooLarge
    case "FieldTooLarge":
    case "TooManyParts":
      return formTooLarge
    default:
      return unread
  }
}

/** A photo, and whose it is. */
export const readPhoto = Effect.fnUntraced(function* (
  request: HttpServerRequest
): Effect.fn.Return<HandedImage, Untaken> {
  if (!isOfType(request, "multipart/form-data")) return yield* Effect.fail(notForm)
  if (lengthOf(request) > IMAGE_BYTES + AROUND_BYTES) return yield* Effect.fail(photoTooLarge)
  const { guest, jpeg } = yield* Stream.runFoldEffect(request.multipartStream, (): Parts => ({}), withPart).pipe(
    Effect.provideService(Multipart.MaxParts, PARTS),
    Effect.provideService(Multipart.MaxFieldSize, ByteSize.bytes(FIELD_BYTES)),
    Effect.provideService(Multipart.MaxFileSize, ByteSize.bytes(IMAGE_BYTES + AROUND_BYTES)),
    Effect.provideService(MaxBodySize, ByteSize.bytes(IMAGE_BYTES + AROUND_BYTES)),
    Effect.mapError((error) => ("status" in error ? error : ofMultipart(error))),
    Effect.timeoutOrElse({ duration: GUEST_PHOTO_MS, orElse: () => Effect.fail(photoTooSlow) })
  )
  // The parser counts what stands around the bytes of a file among them.
  if (jpeg !== undefined && jpeg.length > IMAGE_BYTES) return yield* Effect.fail(photoTooLarge)
  if (guest === undefined) return yield* Effect.fail(noGuest)
  if (jpeg === undefined || jpeg.length === 0) return yield* Effect.fail(noPhoto)
  if (guest === "other") return { guestId: null, jpeg }
  return /^[1-9]\d{0,14}$/.test(guest)
    ? { guestId: Number(guest), jpeg }
    : yield* Effect.fail(untaken(422, NO_SUCH_GUEST))
})
