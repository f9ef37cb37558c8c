import { hash } from "node:crypto"
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Places } from "../../admission/concurrency/Places.ts"
import { windowOf } from "../../admission/windows/window.ts"
import type { Answer } from "../../contract/envelope.ts"
import { IMAGE_ENDING, IMAGES_PREFIX } from "../../domain/guests/images/address.ts"
import { IMAGE_PIECE, Images, type OpenedImage } from "../../domain/guests/images/Images.ts"
import { IMAGE_VIEWS_A_MINUTE } from "../../platform/limits.ts"
import { makeCounting } from "./counting.ts"
import { PRIVATE_HEADERS } from "./document.ts"
import { logFailure } from "./failure.ts"
import { namesIt } from "./if-none-match.ts"
import { isLooking, onlyLooking, plainText, recorded, retryAfter } from "./secret-address.ts"

type Response = HttpServerResponse.HttpServerResponse

const JPEG_TYPE = "image/jpeg"

/** Seconds for which who has looked at an image of a message need not ask again (a day); it never becomes another. */
const MESSAGE_FRESH_SECONDS = 24 * 60 * 60

/**
 * It is a picture and nothing else, whatever its bytes could be taken for: opened by itself it runs nothing. It may be
 * shown on pages of elsewhere: who has the address may see it, and no browser adds anything to that.
 */
const IMAGE_HEADERS = {
  ...PRIVATE_HEADERS,
  "content-disposition": `inline; filename="image${IMAGE_ENDING}"`,
  "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "cross-origin-resource-policy": "cross-origin"
}

/** What is said of how long it may be kept: of identity documents no copy is. */
const headersOf = ({ kind, token }: OpenedImage): Readonly<Record<string, string>> =>
  kind === "identity"
    ? IMAGE_HEADERS
    : { ...IMAGE_HEADERS, "cache-control": `private, max-age=${MESSAGE_FRESH_SECONDS}`, etag: etagOf(token) }

/** An address never shows other bytes, so its name is theirs. */
const etagOf = (token: string): string => `"${hash("sha256", token, "base64url").slice(0, 32)}"`

const MINUTE = windowOf("1m")

const bucketOf = ({ operatorId, id }: OpenedImage) => ({
  key: `{op:${operatorId}}:image:${id}`,
  scope: "image" as const,
  window: MINUTE,
  max: IMAGE_VIEWS_A_MINUTE
})

/** The token in a path below {@link IMAGES_PREFIX}; the query says nothing. */
const tokenIn = (url: string): string => {
  const [path = ""] = url.split("?", 1)
  return path.endsWith(IMAGE_ENDING) ? path.slice(IMAGES_PREFIX.length, -IMAGE_ENDING.length) : ""
}

/** Where the pieces after the first begin. */
const laterPieces = ({ bytes }: OpenedImage): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil(bytes / IMAGE_PIECE) - 1 }, (_, nth) => (nth + 1) * IMAGE_PIECE)

/**
 * Images of messages and of identity documents, below {@link IMAGES_PREFIX}: the address is the only credential.
 *
 * An image is read while it is sent, a piece at a time, each in a place of its operator and sent out of it: a slow reader
 * holds no place, no file, and one piece of memory. If a later piece cannot be read, the connection is cut.
 */
export const makeImageDoor = Effect.gen(function* () {
  const images = yield* Images
  const places = yield* Places
  const counted = yield* makeCounting

  const pieceOf = (image: OpenedImage, from: number) => places.within(image.operatorId, images.read(image, from))

  const show = Effect.fnUntraced(function* (image: OpenedImage) {
    const first = yield* pieceOf(image, 0)
    if (Option.isNone(first)) return yield* Effect.as(warnMissing(image), noSuchImage)
    const later = Stream.fromIterable(laterPieces(image)).pipe(
      Stream.mapEffect((from) => Effect.flatMap(pieceOf(image, from), orMissing)),
      Stream.tapCause(logFailure)
    )
    const body = Stream.concat(Stream.succeed(first.value), later)
    return HttpServerResponse.stream(body, {
      contentType: JPEG_TYPE,
      contentLength: image.bytes,
      headers: headersOf(image)
    })
  })

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const opened = yield* images.open(tokenIn(request.url))
    if (Option.isNone(opened)) return noSuchImage
    const image = opened.value
    const wait = yield* counted(bucketOf(image))
    if (Option.isSome(wait)) return tooMany(wait.value)
    const ifNoneMatch = request.headers["if-none-match"]
    const isKnown = image.kind === "message" && ifNoneMatch !== undefined && namesIt(ifNoneMatch, etagOf(image.token))
    return isKnown ? HttpServerResponse.empty({ status: 304, headers: headersOf(image) }) : yield* show(image)
  })

  return (request: HttpServerRequest): Effect.Effect<Response> =>
    isLooking(request) ? recorded(request, "image", answer(request), { busy, failed }) : Effect.succeed(onlyLooking)
})

/** Its row is there, and its bytes are not: a folder that was not restored with its database, or is not mounted. */
const warnMissing = ({ operatorId, id }: OpenedImage): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("the bytes of an image are missing"), { operator_id: operatorId, image_id: id })

const orMissing = Option.match({
  onNone: () => Effect.die(new Error("an image has fewer bytes than its record says")),
  onSome: (piece: Uint8Array) => Effect.succeed(piece)
})

/** What this door answers that may not be opened as it was asked for: over plain HTTP. */
export const imageRefusal = ({ envelope }: Answer): Response =>
  plainText(`${envelope.error_msg}\n`, envelope.error_code)

const noSuchImage = plainText("There is no such image.\n", 404)
const failed = plainText("The image cannot be read now: try again later.\n", 500)
const busy = (seconds: number) =>
  retryAfter(plainText("The service is busy: wait for Retry-After seconds.\n", 503), seconds)
const tooMany = (seconds: number) =>
  retryAfter(plainText("Too many requests: wait for Retry-After seconds.\n", 429), seconds)
