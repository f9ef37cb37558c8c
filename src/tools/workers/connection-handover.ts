import type { Worker } from "node:cluster"
import { Predicate, Schema } from "effect"

/** What a parent says with a connection that it hands over, and what a worker says once it has it or will not have it. */
const isHandoverMessage = Schema.is(
  Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), act: Schema.Literal("newconn"), seq: Schema.Int })
)
const isAcknowledgement = Schema.is(Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), ack: Schema.Int }))

/**
 * Connections on their way to a worker; the answered closes those that it never settled. Node's cluster forgets them where the
 * worker ends first (lib/internal/cluster/round_robin_handle.js): they stay open here, and their callers wait for ever. They are
 * not handed to another, as the worker may have read from one. Node has no public event for either word.
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
