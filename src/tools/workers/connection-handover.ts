import type { Worker } from "node:cluster"
import { Predicate, Schema } from "effect"

/** An internal message of Node's cluster module, which has no public event for it. */
const isHandoverMessage = Schema.is(
  Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), act: Schema.Literal("newconn"), seq: Schema.Int })
)
const isAcknowledgement = Schema.is(Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), ack: Schema.Int }))

/**
 * Returns a function that closes the connections that the worker never confirmed. If a worker ends, Node forgets these
 * (lib/internal/cluster/round_robin_handle.js), and their clients would wait forever. Another worker cannot take them,
 * because the first may have read from them.
 */
export const trackConnectionHandover = (worker: Worker): (() => void) => {
  const open = new Map<number, () => void>()
  const { process } = worker
  const send: unknown = process.send
  if (!Predicate.isFunction(send)) return () => {}
  Object.assign(process, {
    send: (...parameters: ReadonlyArray<unknown>): unknown => {
      const [message, handle] = parameters
      if (isHandoverMessage(message) && Predicate.hasProperty(handle, "close") && Predicate.isFunction(handle.close)) {
        open.set(message.seq, handle.close.bind(handle))
      }
      return Reflect.apply(send, process, parameters)
    }
  })
  process.on("internalMessage", (message: unknown) => {
    if (isAcknowledgement(message)) open.delete(message.ack)
  })
  return () => {
    for (const close of open.values()) close()
    open.clear()
  }
}
