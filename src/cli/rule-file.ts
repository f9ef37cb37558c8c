import { Effect, FileSystem, Result, Stream } from "effect"
import { BadRequest } from "../contract/errors.ts"
import { parseJson } from "../contract/json-text.ts"
import { textOf } from "../contract/utf8.ts"
import { RULE_FILE_BYTES } from "../limits.ts"

const unusable = (why: string) => new BadRequest({ message: `--file: ${why}.` })

/** The JSON in a file. No more of it is read than it may have, whatever it is: a pipe says nothing of its size. */
export const ruleFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const read = files.stream(path, { bytesToRead: RULE_FILE_BYTES + 1 })
  const chunks = yield* Effect.catchTag(Stream.runCollect(read), "PlatformError", ({ reason }) =>
    Effect.fail(unusable(reason._tag === "NotFound" ? `there is no file ${path}` : `${path} cannot be read`))
  )
  const bytes = Buffer.concat(chunks)
  if (bytes.length > RULE_FILE_BYTES) return yield* unusable(`${path} has more than ${RULE_FILE_BYTES} bytes`)
  const parsed = Result.flatMap(textOf(bytes), parseJson)
  return yield* Effect.mapError(Effect.fromResult(parsed), (why) => unusable(`${path} ${why}`))
})
