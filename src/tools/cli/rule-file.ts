import { createReadStream } from "node:fs"
import { Effect, Predicate, Result, Stream } from "effect"
import { BadRequest } from "../../contract/errors.ts"
import { parseJson } from "../../contract/json-text.ts"
import { decodeUtf8 } from "../../contract/utf8.ts"
import { RULE_FILE_BYTES } from "../../platform/limits.ts"

const toFileError = (problem: string) => new BadRequest({ message: `--file: ${problem}.` })

const toReadError = (path: string) => (error: unknown) =>
  toFileError(
    Predicate.hasProperty(error, "code") && error.code === "ENOENT"
      ? `there is no file ${path}`
      : `${path} cannot be read`
  )

/** Reads at most one byte more than RULE_FILE_BYTES. A stream can read a pipe, which Effect's FileSystem cannot. */
export const readRuleFile = Effect.fnUntraced(function* (path: string) {
  const stream = Stream.suspend(() =>
    Stream.fromAsyncIterable<Buffer, BadRequest>(createReadStream(path, { end: RULE_FILE_BYTES }), toReadError(path))
  )
  const chunks = yield* Stream.runCollect(stream)
  const bytes = Buffer.concat(chunks)
  if (bytes.length > RULE_FILE_BYTES) return yield* toFileError(`${path} has more than ${RULE_FILE_BYTES} bytes`)
  const parsed = Result.filterOrFail(
    Result.flatMap(decodeUtf8(bytes), parseJson),
    Predicate.isObject,
    () => "must contain a JSON object"
  )
  return yield* Effect.mapError(Effect.fromResult(parsed), (problem) => toFileError(`${path} ${problem}`))
})
