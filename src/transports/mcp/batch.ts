import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { Effect, Predicate, Semaphore } from "effect"
import { toPrintableName } from "../../contract/printable-name.ts"
import { MCP_BATCH_BYTES, MCP_BATCH_MESSAGES_MAX } from "../../platform/limits.ts"

// Validates batches, and limits what one batch may use. A batch is the one way to get many responses with one small request.

/** The only revision with batches. Its clients name it, or no revision. */
const BATCH_REVISION = "2025-03-26"

/**
 * Returns why a batch is rejected as a whole. `revision`: the revision that the client names. Notifications count as messages. Ids must
 * differ, because the library would silently drop the second of two calls with one id.
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
 * Runs the calls of one exchange one after the other, so a batch uses no more of the service than single calls would. Once the responses
 * have reached {@link MCP_BATCH_BYTES}, further calls are rejected and not run. So a batch returns at most this many bytes and one
 * response. If the client goes away, queued calls are interrupted with the running one.
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
