import { Context, DateTime, Effect, Layer } from "effect"
import { PublicClient } from "../../../platform/installation.ts"
import { ClientStore } from "./clients/store.ts"
import { isRegistered, registeredForm } from "./redirect.ts"

/** The public client of all MCP users (specification, Webhooks and OAuth): it has no secret, and proves itself by PKCE. */
export const PUBLIC_CLIENT_ID = "service_mcp"

/** Software that hosts may give access to. */
export interface Client {
  readonly id: string
  readonly name: string
  /** Where a partner's hosts may be led back to; of the public client: oauth_redirects. */
  readonly redirectUris: ReadonlyArray<string>
  readonly isPublic: boolean
}

/** It is the same everywhere and cannot be disabled but by the installation: what it is, is not read. */
const PUBLIC: Client = { id: PUBLIC_CLIENT_ID, name: "MCP client", redirectUris: [], isPublic: true }

/** Who may ask hosts for access. */
export class Clients extends Context.Service<
  Clients,
  {
    /** Undefined: there is none, it was disabled, or it is the public client and the installation has none. */
    readonly find: (id: string) => Effect.Effect<Client | undefined>
    /** Whether the client may be led back there (redirect.ts). */
    readonly mayBeLedTo: (client: Client, uri: string) => Effect.Effect<boolean>
    /** To be told when a host has consented to be led there: the address of a public client is kept from then on. */
    readonly wasLedTo: (uri: string) => Effect.Effect<void>
  }
>()("latchkey/oauth/Clients") {
  static readonly layer = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const store = yield* ClientStore
      const hasPublic = yield* PublicClient

      const find = (id: string): Effect.Effect<Client | undefined> =>
        id === PUBLIC_CLIENT_ID
          ? Effect.succeed(hasPublic ? PUBLIC : undefined)
          : Effect.map(store.partner(id), (found) =>
              found === undefined
                ? undefined
                : { id, name: found.name, redirectUris: found.redirectUris, isPublic: false }
            )

      const mayBeLedTo = ({ isPublic, redirectUris }: Client, uri: string): Effect.Effect<boolean> =>
        isPublic
          ? Effect.map(store.registered(registeredForm(uri)), (known) => isRegistered(known, uri, "public"))
          : Effect.succeed(isRegistered(redirectUris, uri, "partner"))

      return Clients.of({
        find,
        mayBeLedTo,
        wasLedTo: (uri) => Effect.flatMap(DateTime.nowAsDate, (now) => store.wasUsed(registeredForm(uri), now))
      })
    })
  ).pipe(Layer.provide(ClientStore.layer))
}
