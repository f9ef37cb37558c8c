import { ByteSize, Effect, Result } from "effect"
import type { HttpServerError } from "effect/http"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { BadRequest } from "../../contract/errors.ts"
import { parseJson } from "../../contract/json-text.ts"
import { toldName } from "../../contract/told-name.ts"
import { textOf } from "../../contract/utf8.ts"

// Receives the body of a request, up to a limit of bytes, and parses it as text and as fields.

export const hasBody = (request: HttpServerRequest): boolean =>
  request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0

/** Receives a body. Parsing happens later, because the call has no concurrency permit yet. */
export const receiveBody = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  maxBody: ByteSize.ByteSize
): Effect.fn.Return<Uint8Array, BadRequest> {
  const most = ByteSize.toNumberUnsafe(maxBody)
  const tooLarge = new BadRequest({ message: `The body must not be larger than ${most} bytes.` })
  if (Number(request.headers["content-length"] ?? 0) > most) return yield* tooLarge
  const body = yield* request.arrayBuffer.pipe(
    Effect.provideService(MaxBodySize, maxBody),
    Effect.mapError((error) =>
      isTooLarge(error) ? tooLarge : new BadRequest({ message: "The body could not be read." })
    )
  )
  return new Uint8Array(body)
})

/** Returns the text of a body. Fails with 400 if the body is not UTF-8. */
export const bodyText = (body: Uint8Array): Result.Result<string, BadRequest> =>
  Result.mapError(textOf(body), unreadable)

const unreadable = (why: string) => new BadRequest({ message: `The body ${why}.` })

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

/** Of a text that is said to be JSON; an empty body has no fields. */
export const jsonFields = (text: string): Result.Result<unknown, BadRequest> =>
  text.trim() === "" ? Result.succeed({}) : Result.mapError(parseJson(text), unreadable)

/** Whether a content type says JSON; where nothing is said it is taken for it. */
export const isJson = (type: string | undefined): boolean =>
  type === undefined || /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)

export const notJson = new BadRequest({ message: "The body must be JSON: send Content-Type: application/json." })

/** Fields as they were sent; what may come several times is a list where it did. */
export type FormFields = Readonly<Record<string, string | ReadonlyArray<string>>>

/**
 * Fields of a query or of a form, by name; a name given twice says two things, so neither is believed, unless it is the one
 * that may be.
 */
export const formFields = (text: string, repeatable?: string): Result.Result<FormFields, BadRequest> => {
  // Bytes that are no text are read as U+FFFD: to the decoder they are what half a character is elsewhere.
  const isSigned = /%EF%BF%BD/i.test(text)
  const asSent = (value: string) => (value.includes("\ufffd") && !isSigned ? HALF_A_CHARACTER : value)
  const sent = new URLSearchParams(text)
  const fields = new Map<string, string | ReadonlyArray<string>>()
  for (const [name, value] of sent) {
    if (fields.has(name) && name !== repeatable)
      return Result.fail(new BadRequest({ message: `${toldName(name)}: is given twice.` }))
    fields.set(name, asSent(value))
  }
  const several = repeatable === undefined ? [] : sent.getAll(repeatable)
  if (repeatable !== undefined && several.length > 1) fields.set(repeatable, several.map(asSent))
  return Result.succeed(Object.fromEntries(fields))
}

const HALF_A_CHARACTER = "\ud83d"
