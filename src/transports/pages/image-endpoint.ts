import { hash } from "node:crypto"
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { windowOf } from "../../admission/windows/rate-window.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { IMAGE_CHUNK_BYTES, Images, type OpenedImage } from "../../domain/guests/images/Images.ts"
import { IMAGE_EXTENSION, IMAGES_PATH_PREFIX } from "../../domain/guests/images/image-url.ts"
import { IMAGE_VIEWS_A_MINUTE } from "../../platform/limits.ts"
import { matchesEtag } from "../http/caching.ts"
import { logFailure } from "./failure-cause.ts"
import { PRIVATE_PAGE_HEADERS } from "./html-page.ts"
import { makeRateLimiter } from "./rate-limiter.ts"
import {
  isReadMethod,
  methodNotAllowed,
  plainTextResponse,
  traceAndLogResponse,
  withRetryAfter
} from "./secret-url-responses.ts"

type Response = HttpServerResponse.HttpServerResponse

const JPEG_TYPE = "image/jpeg"

/** Browsers may cache an image this long, because its bytes never change. */
const MESSAGE_IMAGE_MAX_AGE_SECONDS = 24 * 60 * 60

/** `sandbox` keeps an image from running code. Other origins may embed it, because its URL is the only credential. */
const IMAGE_HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  "content-disposition": `inline; filename="image${IMAGE_EXTENSION}"`,
  "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "cross-origin-resource-policy": "cross-origin"
}

/** Identity documents must not be cached. */
const imageHeaders = ({ kind, token }: OpenedImage): Readonly<Record<string, string>> =>
  kind === "identity"
    ? IMAGE_HEADERS
    : { ...IMAGE_HEADERS, "cache-control": `private, max-age=${MESSAGE_IMAGE_MAX_AGE_SECONDS}`, etag: toEtag(token) }

const toEtag = (token: string): string => `"${hash("sha256", token, "base64url").slice(0, 32)}"`

const MINUTE = windowOf("1m")

const toRateLimitBucket = ({ operatorId, id }: OpenedImage) => ({
  key: `{op:${operatorId}}:image:${id}`,
  scope: "image" as const,
  window: MINUTE,
  max: IMAGE_VIEWS_A_MINUTE
})

const parseImageToken = (url: string): string => {
  const [path = ""] = url.split("?", 1)
  return path.endsWith(IMAGE_EXTENSION) ? path.slice(IMAGES_PATH_PREFIX.length, -IMAGE_EXTENSION.length) : ""
}

const laterPieceOffsets = ({ bytes }: OpenedImage): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil(bytes / IMAGE_CHUNK_BYTES) - 1 }, (_, nth) => (nth + 1) * IMAGE_CHUNK_BYTES)

/**
 * Reads each piece of the image with a permit of its operator and sends it without one. So a slow reader holds no
 * permit, no open file and only one piece in memory. If a later piece cannot be read, the connection is cut.
 */
export const makeImageHandler = Effect.gen(function* () {
  const images = yield* Images
  const limiter = yield* ConcurrencyLimiter
  const checkRateLimit = yield* makeRateLimiter

  const readPiece = (image: OpenedImage, from: number) => limiter.withPermit(image.operatorId, images.read(image, from))

  const streamImage = Effect.fnUntraced(function* (image: OpenedImage) {
    const firstPiece = yield* readPiece(image, 0)
    if (Option.isNone(firstPiece)) return yield* Effect.as(warnMissingBytes(image), notFoundResponse)
    const laterPiecesStream = Stream.fromIterable(laterPieceOffsets(image)).pipe(
      Stream.mapEffect((from) => Effect.flatMap(readPiece(image, from), dieIfMissing)),
      Stream.tapCause(logFailure)
    )
    const body = Stream.concat(Stream.succeed(firstPiece.value), laterPiecesStream)
    return HttpServerResponse.stream(body, {
      contentType: JPEG_TYPE,
      contentLength: image.bytes,
      headers: imageHeaders(image)
    })
  })

  const respond = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const openedImage = yield* images.open(parseImageToken(request.url))
    if (Option.isNone(openedImage)) return notFoundResponse
    const image = openedImage.value
    const retryAfterWait = yield* checkRateLimit(toRateLimitBucket(image))
    if (Option.isSome(retryAfterWait)) return toTooManyResponse(retryAfterWait.value)
    const ifNoneMatch = request.headers["if-none-match"]
    const isNotModified =
      image.kind === "message" && ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, toEtag(image.token))
    return isNotModified
      ? HttpServerResponse.empty({ status: 304, headers: imageHeaders(image) })
      : yield* streamImage(image)
  })

  return (request: HttpServerRequest): Effect.Effect<Response> =>
    isReadMethod(request)
      ? traceAndLogResponse(request, "image", respond(request), { toBusyResponse, failedResponse })
      : Effect.succeed(methodNotAllowed)
})

/** Bytes are missing if the image folder was not restored with its database, or is not mounted. */
const warnMissingBytes = ({ operatorId, id }: OpenedImage): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("the bytes of an image are missing"), { operator_id: operatorId, image_id: id })

const dieIfMissing = Option.match({
  onNone: () => Effect.die(new Error("an image has fewer bytes than its record says")),
  onSome: (piece: Uint8Array) => Effect.succeed(piece)
})

export const toImageErrorResponse = ({ envelope }: ServiceResponse): Response =>
  plainTextResponse(`${envelope.error_msg}\n`, envelope.error_code)

const notFoundResponse = plainTextResponse("There is no such image.\n", 404)
const failedResponse = plainTextResponse("The image cannot be read now: try again later.\n", 500)
const toBusyResponse = (seconds: number) =>
  withRetryAfter(plainTextResponse("The service is busy: wait for Retry-After seconds.\n", 503), seconds)
const toTooManyResponse = (seconds: number) =>
  withRetryAfter(plainTextResponse("Too many requests: wait for Retry-After seconds.\n", 429), seconds)
