import { lookup } from "node:dns/promises"
import { Context, Data, Effect, Layer } from "effect"

export class NameNotResolved extends Data.TaggedError("NameNotResolved")<{ readonly detail: string }> {}

export class AddressResolver extends Context.Service<
  AddressResolver,
  { readonly resolve: (host: string) => Effect.Effect<ReadonlyArray<string>, NameNotResolved> }
>()("latchkey/domain/webhooks/deliveries/AddressResolver") {
  /** Uses the system's resolver, including /etc/hosts. */
  static readonly layer = Layer.succeed(AddressResolver, {
    resolve: (host) =>
      Effect.tryPromise({
        try: () => lookup(host, { all: true, order: "verbatim" }),
        catch: (cause) => new NameNotResolved({ detail: cause instanceof Error ? cause.message : String(cause) })
      }).pipe(Effect.map((answers) => answers.map(({ address }) => address)))
  })
}
