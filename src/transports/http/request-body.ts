import { Effect, Result } from "effect"
import { BadRequest } from "../../contract/errors.ts"
import { parseJson } from "../../contract/json-text.ts"
import { toPrintableName } from "../../contract/printable-name.ts"
import { decodeUtf8 } from "../../contract/utf8.ts"
import type { ApiRequest } from "./api-http.ts"

// Receives the body of a request, up to a limit of bytes, and parses it as text and as fields.

export const hasBody = (request: ApiRequest): boolean =>
  request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0

/** Receives a body. Parsing happens later, because the call has no concurrency permit yet. */
export const receiveBody = (request: ApiRequest, maxBytes: number): Effect.Effect<Uint8Array, BadRequest> =>
  Effect.mapError(request.receiveBody(maxBytes), ({ _tag }) =>
    _tag === "BodyTooLarge"
      ? new BadRequest({ message: `The body must not be larger than ${maxBytes} bytes.` })
      : new BadRequest({ message: "The body could not be read." })
  )

/** Returns the text of a body. Fails with 400 if the body is not UTF-8. */
export const decodeBodyText = (body: Uint8Array): Result.Result<string, BadRequest> =>
  Result.mapError(decodeUtf8(body), toUnreadableBodyError)

const toUnreadableBodyError = (problem: string) => new BadRequest({ message: `The body ${problem}.` })

/** Of a text that is said to be JSON; an empty body has no fields. */
export const parseJsonFields = (text: string): Result.Result<unknown, BadRequest> =>
  text.trim() === "" ? Result.succeed({}) : Result.mapError(parseJson(text), toUnreadableBodyError)

/** Whether a content type says JSON; where nothing is said it is taken for it. */
export const isJsonContentType = (type: string | undefined): boolean =>
  type === undefined || /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)

export const notJsonError = new BadRequest({ message: "The body must be JSON: send Content-Type: application/json." })

/** Fields as they were sent; what may come several times is a list where it did. */
export type FormFields = Readonly<Record<string, string | ReadonlyArray<string>>>

/**
 * Fields of a query or of a form, by name; a name given twice says two things, so neither is believed, unless it is the one
 * that may be.
 */
export const parseFormFields = (text: string, repeatable?: string): Result.Result<FormFields, BadRequest> => {
  // Bytes that are no text are read as U+FFFD: to the decoder they are what half a character is elsewhere.
  const hasEncodedReplacementCharacter = /%EF%BF%BD/i.test(text)
  const restoreLoneSurrogate = (value: string) =>
    value.includes("\ufffd") && !hasEncodedReplacementCharacter ? LONE_SURROGATE : value
  const params = new URLSearchParams(text)
  const fields = new Map<string, string | ReadonlyArray<string>>()
  for (const [name, value] of params) {
    if (fields.has(name) && name !== repeatable)
      return Result.fail(new BadRequest({ message: `${toPrintableName(name)}: is given twice.` }))
    fields.set(name, restoreLoneSurrogate(value))
  }
  const repeatedValues = repeatable === undefined ? [] : params.getAll(repeatable)
  if (repeatable !== undefined && repeatedValues.length > 1)
    fields.set(repeatable, repeatedValues.map(restoreLoneSurrogate))
  return Result.succeed(Object.fromEntries(fields))
}

const LONE_SURROGATE = "\ud83d"
