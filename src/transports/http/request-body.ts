import { Effect, Result } from "effect"
import { BadRequest } from "../../contract/errors.ts"
import { parseJson } from "../../contract/json-text.ts"
import { toPrintableName } from "../../contract/printable-name.ts"
import { decodeUtf8 } from "../../contract/utf8.ts"
import type { ApiRequest } from "./api-http.ts"

export const hasBody = (request: ApiRequest): boolean =>
  request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0

/** Does not parse the body, because the call has no concurrency permit yet. */
export const receiveBody = (request: ApiRequest, maxBytes: number): Effect.Effect<Uint8Array, BadRequest> =>
  Effect.mapError(request.receiveBody(maxBytes), ({ _tag }) =>
    _tag === "BodyTooLarge"
      ? new BadRequest({ message: `The body must not be larger than ${maxBytes} bytes.` })
      : new BadRequest({ message: "The body could not be read." })
  )

export const decodeBodyText = (body: Uint8Array): Result.Result<string, BadRequest> =>
  Result.mapError(decodeUtf8(body), toUnreadableBodyError)

const toUnreadableBodyError = (problem: string) => new BadRequest({ message: `The body ${problem}.` })

export const parseJsonFields = (text: string): Result.Result<unknown, BadRequest> =>
  text.trim() === "" ? Result.succeed({}) : Result.mapError(parseJson(text), toUnreadableBodyError)

export const isJsonContentType = (type: string | undefined): boolean =>
  type === undefined || /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)

export const notJsonError = new BadRequest({ message: "The body must be JSON: send Content-Type: application/json." })

export type FormFields = Readonly<Record<string, string | ReadonlyArray<string>>>

export const parseFormFields = (text: string, repeatable?: string): Result.Result<FormFields, BadRequest> => {
  // URLSearchParams decodes invalid UTF-8 to U+FFFD. Such a value becomes a lone surrogate, which the decoder rejects.
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
