import type { Worker } from "node:cluster"
import { Predicate, Schema } from "effect"

/** What a parent says with a connection that it hands over, and what a worker says once it has it or will not have it. */
const isHandedOver = Schema.is(
  Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), act: Schema.Literal("newconn"), seq: Schema.Int })
)
const isSettled = Schema.is(Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), ack: Schema.Int }))

/**
 * Connections on their way to a worker; the answered closes those that it never settled. Node's cluster forgets them where the
 * worker ends first (lib/internal/cluster/round_robin_handle.js): they stay open here, and their callers wait for ever. They are
 * not handed to another, as the worker may have read from one. Node has no public event for either word.
 */
export const handedOver = (worker: Worker): (() => void) => {
  const open = new Map<number, () => void>()
  const { process } = worker
  const send: unknown = process.send
  if (!Predicate.isFunction(send)) return () => {}
  Object.assign(process, {
    send: (...sent: ReadonlyArray<unknown>): unknown => {
      const [words, handle] = sent
      if (isHandedOver(words) && Predicate.hasProperty(handle, "close") && Predicate.isFunction(handle.close)) {
        open.set(words.seq, handle.close.bind(handle))
      }
      return Reflect.apply(send, process, sent)
    }
  })
  process.on("internalMessage", (words: unknown) => {
    if (isSettled(words)) open.delete(words.ack)
  })
  return () => {
    for (const close of open.values()) close()
    open.clear()
  }
}
