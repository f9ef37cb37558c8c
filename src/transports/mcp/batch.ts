import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { Effect, Predicate, Semaphore } from "effect"
import { toPrintableName } from "../../contract/printable-name.ts"
import { MCP_BATCH_BYTES, MCP_BATCH_MESSAGES_MAX } from "../../platform/limits.ts"

// Batches are of revision 2025-03-26 alone, and the one way to ask for many answers with one small request.

/** The one revision that has batches; its clients name it or, as all did then, none. */
const BATCH_REVISION = "2025-03-26"

/**
 * Why a batch is not taken at all, if so; `revision` is what the client says it speaks. Notifications count with the calls: a
 * message is a message. Of two calls with one id the second would not be run, and nobody be told.
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
 * The calls of one exchange, one after the other in the order they stand in: a batch takes no more of the service than
 * its sender could by calling and waiting. Once the answers before it have used up {@link MCP_BATCH_BYTES}, a call is
 * refused and not run; so a batch answers as many bytes and one answer at most. What waits when the client goes away is
 * interrupted with what runs.
 */
export class BatchCallQueue {
  readonly #turn = Semaphore.makeUnsafe(1)
  #bytes = 0

  readonly run = (call: Effect.Effect<string>): Effect.Effect<string, ProtocolError> =>
    this.#turn.withPermit(
      Effect.suspend(() =>
        this.#bytes < MCP_BATCH_BYTES
          ? Effect.tap(call, (answer) => Effect.sync(() => this.#count(answer)))
          : Effect.fail(toBudgetError(this.#bytes))
      )
    )

  readonly #count = (answer: string) => {
    this.#bytes += Buffer.byteLength(answer)
  }
}

const toBudgetError = (bytes: number) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Not run: the earlier answers of this batch have ${bytes} bytes, and the limit is ${MCP_BATCH_BYTES} bytes. Send this call again alone.`
  )
