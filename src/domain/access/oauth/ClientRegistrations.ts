import { Context, DateTime, Effect, Layer } from "effect"
import { RateWindows } from "../../../admission/windows/RateWindows.ts"
import { rateLimitHeaders, rateLimitMessage } from "../../../admission/windows/rate-limit-response.ts"
import { type Bucket, windowOf } from "../../../admission/windows/rate-window.ts"
import { CallerAddress, networkOf } from "../../../contract/caller-address.ts"
import { NotImplemented, RateLimited } from "../../../contract/errors.ts"
import { PublicClientEnabled } from "../../../platform/installation.ts"
import { REGISTRATIONS_A_MINUTE } from "../../../platform/limits.ts"
import { ClientStore } from "./clients/ClientStore.ts"
import { toRegisteredUri } from "./redirect-uri.ts"

/** Every registration (RFC 7591) returns the same public client. */
export class ClientRegistrations extends Context.Service<
  ClientRegistrations,
  {
    /** Fails if the installation has no public client, or if the caller's network registers too often. */
    readonly admit: Effect.Effect<void, NotImplemented | RateLimited>
    /** Does not validate the addresses. The caller must. */
    readonly registerRedirectUris: (uris: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("latchkey/domain/access/oauth/ClientRegistrations") {
  static readonly layer = Layer.effect(
    ClientRegistrations,
    Effect.gen(function* () {
      const [store, windows, hasPublicClient] = [yield* ClientStore, yield* RateWindows, yield* PublicClientEnabled]

      const admit = Effect.gen(function* () {
        if (!hasPublicClient) return yield* noPublicClientError
        // Callers without a known address share one window.
        const admission = yield* windows.admit([bucketOf((yield* CallerAddress) ?? "")], [])
        if (admission._tag === "Admitted") return
        return yield* new RateLimited({ message: rateLimitMessage(admission), headers: rateLimitHeaders(admission) })
      })

      return {
        admit,
        registerRedirectUris: (uris) =>
          Effect.flatMap(DateTime.nowAsDate, (now) => store.registerRedirectUris(uris.map(toRegisteredUri), now))
      }
    })
  ).pipe(Layer.provide(ClientStore.layer))
}

const bucketOf = (address: string): Bucket => ({
  key: `registration:${networkOf(address)}`,
  scope: "registration",
  window: windowOf("1m"),
  max: REGISTRATIONS_A_MINUTE
})

const noPublicClientError = new NotImplemented({
  message: "This installation has no public client, so clients cannot register. Ask its administrator for a client_id."
})
