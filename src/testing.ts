/**
 * A Latchkey server for the tests of another project. `createLatchkey` starts it as a process of its own, so fake timers and
 * settings of the test do not change it.
 */

import { readOptions } from "./testing/options.ts"
import { type Access, type CallRoute, makeCallRoute } from "./testing/routes.ts"
import { startServer } from "./testing/server-process.ts"
import type {
  CreatedOperator,
  CreatedProperty,
  Delivery,
  LatchkeyOptions,
  NewOperator,
  Sandbox,
  TestLatchkey
} from "./testing/types.ts"

export { LatchkeyTestError } from "./testing/routes.ts"
export type * from "./testing/types.ts"

const makeSandbox = (call: CallRoute): Sandbox => ({
  book: (booking) => call("/test/sandbox/bookings", booking),
  cancel: (order) => call("/test/sandbox/cancellations", order),
  pay: (payment) => call("/test/sandbox/payments", payment),
  writeMessage: (message) => call("/test/sandbox/messages", message),
  writeReview: (review) => call("/test/sandbox/reviews", review),
  failNext: (failure = {}) => call("/test/sandbox/failures", failure)
})

const createOperator = async (call: CallRoute, operator: NewOperator = {}): Promise<CreatedOperator> => {
  const created = await call<Access & { readonly properties: ReadonlyArray<CreatedProperty> }>(
    "/test/operators",
    operator
  )
  const { operator_id: id, token, read_only_token: readOnlyToken, properties } = created
  return { id, token, readOnlyToken, properties }
}

/**
 * Starts a test server with its own database and clock. Returns it when it is ready.
 *
 * Rejects with a TypeError for a wrong option, with an Error that has the server's error output if it does not start, and
 * with the error of a `seed` function. In each case no process is left.
 */
export const createLatchkey = async (options: LatchkeyOptions = {}): Promise<TestLatchkey> => {
  const { port, serveArguments, addData } = readOptions(options)
  const server = await startServer(port, serveArguments)
  const { url, stop } = server
  const call = makeCallRoute(server)
  const connect = async (): Promise<TestLatchkey> => {
    const access = await call<Access>("/test/access")
    const latchkey: TestLatchkey = {
      url,
      mcpUrl: `${url}/mcp`,
      receiverUrl: `${url}/test/receiver`,
      operatorId: access.operator_id,
      token: access.token,
      readOnlyToken: access.read_only_token,
      operator: (operator) => createOperator(call, operator),
      sandbox: makeSandbox(call),
      deliveries: async () =>
        (await call<{ readonly deliveries: ReadonlyArray<Delivery> }>("/test/deliveries")).deliveries,
      advance: async (advance) => new Date((await call<{ readonly now: string }>("/test/clock", { advance })).now),
      reset: async () => {
        await call("/test/reset", {})
      },
      close: stop
    }
    if (addData === undefined) return latchkey
    await addData(latchkey)
    await call("/test/template", {})
    return latchkey
  }
  return connect().catch(async (error: unknown) => {
    await stop()
    throw error
  })
}
