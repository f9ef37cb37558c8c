import type { Worker } from "node:cluster"
import { Predicate, Schema } from "effect"

/** Node's cluster has no public event for these. */
const isHandoverMessage = Schema.is(
  Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), act: Schema.Literal("newconn"), seq: Schema.Int })
)
const isAcknowledgement = Schema.is(Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), ack: Schema.Int }))

/**
 * Tracks connections on their way to a worker. Returns a function that closes those it never confirmed. Node forgets
 * them if the worker ends first (lib/internal/cluster/round_robin_handle.js), and their clients would wait forever.
 * Another worker cannot take them, because the first may have read from them.
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
