import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { Effect, Predicate, Semaphore } from "effect"
import { toPrintableName } from "../../contract/printable-name.ts"
import { MCP_BATCH_BYTES, MCP_BATCH_MESSAGES_MAX } from "../../platform/limits.ts"

// One small batch can cause many responses.

/** The only protocol revision with batches. Its clients may omit the version header. */
const BATCH_REVISION = "2025-03-26"

/**
 * Returns why a batch is rejected, or undefined. Ids must differ, because the library would drop the second message
 * with the same id.
 */
export const findBatchError = (message: unknown, revision: string | undefined): string | undefined => {
  if (!Array.isArray(message)) return undefined
  if (revision !== undefined && revision !== BATCH_REVISION)
    return `MCP-Protocol-Version: must be ${BATCH_REVISION} for a batch, not ${toPrintableName(revision)}.`
  if (message.length > MCP_BATCH_MESSAGES_MAX) {
    return `A batch must have at most ${MCP_BATCH_MESSAGES_MAX} messages, not ${message.length}.`
  }
  const ids = message.flatMap((each) => (Predicate.hasProperty(each, "id") ? [JSON.stringify(each.id)] : []))
  return new Set(ids).size < ids.length ? "id: must be different in each message of a batch." : undefined
}

/**
 * Runs the calls of a batch one by one, so that it uses no more of the service than single calls. After {@link
 * MCP_BATCH_BYTES} of responses, further calls are rejected.
 */
export class BatchCallQueue {
  readonly #semaphore = Semaphore.makeUnsafe(1)
  #bytes = 0

  readonly run = (call: Effect.Effect<string>): Effect.Effect<string, ProtocolError> =>
    this.#semaphore.withPermit(
      Effect.suspend(() =>
        this.#bytes < MCP_BATCH_BYTES
          ? Effect.tap(call, (response) => Effect.sync(() => this.#addBytes(response)))
          : Effect.fail(toBudgetError(this.#bytes))
      )
    )

  readonly #addBytes = (response: string) => {
    this.#bytes += Buffer.byteLength(response)
  }
}

const toBudgetError = (bytes: number) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Not run: the earlier answers of this batch have ${bytes} bytes, and the limit is ${MCP_BATCH_BYTES} bytes. Send this call again alone.`
  )
