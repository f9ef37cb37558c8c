import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { Effect, Semaphore } from "effect"
import { MCP_BATCH_BYTES, MCP_BATCH_MESSAGES } from "../../limits.ts"

// Batches are of revision 2025-03-26 alone, and the one way to ask for many answers with one small request.

/** Why a batch is not taken at all, if so. Notifications count with the calls: a message is a message. */
export const batchRefusal = (message: unknown): string | undefined =>
  Array.isArray(message) && message.length > MCP_BATCH_MESSAGES
    ? `A batch of ${message.length} messages is not taken: at most ${MCP_BATCH_MESSAGES} at once.`
    : undefined

/**
 * The calls of one exchange, one after the other in the order they stand in: a batch takes no more of the service than
 * its sender could by calling and waiting. Once the answers before it have used up {@link MCP_BATCH_BYTES}, a call is
 * refused and not run; so a batch answers as many bytes and one answer at most. What waits when the client goes away is
 * interrupted with what runs.
 */
export class BatchCalls {
  readonly #turn = Semaphore.makeUnsafe(1)
  #bytes = 0

  readonly take = (call: Effect.Effect<string>): Effect.Effect<string, ProtocolError> =>
    this.#turn.withPermit(
      Effect.suspend(() =>
        this.#bytes < MCP_BATCH_BYTES
          ? Effect.tap(call, (answer) => Effect.sync(() => this.#count(answer)))
          : Effect.fail(usedUp(this.#bytes))
      )
    )

  readonly #count = (answer: string) => {
    this.#bytes += Buffer.byteLength(answer)
  }
}

const usedUp = (bytes: number) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Not run: the calls before it in this batch were answered with ${bytes} bytes, and a batch gets ${MCP_BATCH_BYTES}. Send it again by itself.`
  )
