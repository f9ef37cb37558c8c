import net, { type AddressInfo } from "node:net"
import { Effect, Layer, Result } from "effect"
import { AddressResolver, NameNotResolved } from "../../../../../src/domain/webhooks/deliveries/AddressResolver.ts"
import { parseAllowedHosts } from "../../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import {
  type DeliveryResult,
  OutboundHttp,
  type OutboundPost
} from "../../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import type { ReceiverHandler } from "./webhook-receiver.ts"

export const DOCUMENTATION_URL = "https://docs.example.com/webhooks"

/** Names by what they answer the first time, the second time, …; the last answer stays. Counts the questions. */
export const makeScriptedResolver = (zone: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>) => {
  const lookups: Array<string> = []
  const layer = Layer.succeed(AddressResolver, {
    resolve: (host) =>
      Effect.suspend(() => {
        const answers = zone[host]
        const answer = answers?.[lookups.filter((name) => name === host).length] ?? answers?.at(-1)
        lookups.push(host)
        return answer ? Effect.succeed(answer) : Effect.fail(new NameNotResolved({ detail: `${host} is unknown` }))
      })
  })
  return { layer, lookups }
}

export const layerOutbound = (allowed: string, resolver: Layer.Layer<AddressResolver> = AddressResolver.layer) =>
  OutboundHttp.layer(Result.getOrThrow(parseAllowedHosts(allowed)), DOCUMENTATION_URL).pipe(Layer.provide(resolver))
export const layerLocalOutbound = layerOutbound("127.0.0.1")

export const postTo = (url: string, outgoing: Partial<OutboundPost> = {}) =>
  Effect.flatMap(OutboundHttp, (service) => service.post({ url, headers: {}, body: "{}", ...outgoing }))
export const failureReasonOf = (attempt: DeliveryResult) => (attempt.outcome === "failed" ? attempt.reason : attempt)

export const respondWith =
  (status: number, body: string | Buffer = "", headers: Record<string, string> = {}): ReceiverHandler =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }
export const neverRespond: ReceiverHandler = () => {}

/** A server that speaks bytes, not HTTP. */
export const startRawReceiver = (handleSocket: (socket: net.Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<net.Server>((resume) => {
      const server = net.createServer((socket) => {
        socket.on("error", () => {})
        handleSocket(socket)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`))

/** Answers each request with what the test says at that time. */
export const makeSwitchableHandler = () => {
  const behavior = { respond: respondWith(200) as ReceiverHandler }
  return { behavior, handler: ((response, received) => behavior.respond(response, received)) as ReceiverHandler }
}
