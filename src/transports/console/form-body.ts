import { ByteSize, Effect, Result } from "effect"
import type { HttpServerError } from "effect/http"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"
import { CONSOLE_FORM_BYTES, CONSOLE_FORM_MS } from "../../platform/limits.ts"

type FormErrorStatus = 400 | 408 | 413 | 415

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

export const readContentLength = ({ headers }: HttpServerRequest): number => Number(headers["content-length"] ?? 0)

/** The caller parses the text later, with a concurrency permit. */
export const receiveConsoleForm = (
  request: HttpServerRequest,
  maxBytes: number = CONSOLE_FORM_BYTES
): Effect.Effect<Result.Result<string, FormErrorStatus>> => {
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")
  if (!isForm) return Effect.succeed(Result.fail(415))
  if (readContentLength(request) > maxBytes) return Effect.succeed(Result.fail(413))
  return request.text.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(maxBytes)),
    Effect.mapError((error): FormErrorStatus => (isTooLarge(error) ? 413 : 400)),
    Effect.timeoutOrElse({ duration: CONSOLE_FORM_MS, orElse: () => Effect.fail<FormErrorStatus>(408) }),
    Effect.result
  )
}
