import { Context, DateTime, Effect, Layer } from "effect"
import { PublicClientEnabled } from "../../../platform/installation.ts"
import { ClientStore } from "./clients/ClientStore.ts"
import { isRegisteredUri, toRegisteredUri } from "./redirect-uri.ts"

/** The public client of all MCP users (specification, Webhooks and OAuth): it has no secret, and proves itself by PKCE. */
export const PUBLIC_CLIENT_ID = "service_mcp"

/** Software that hosts may give access to. */
export interface OAuthClient {
  readonly id: string
  readonly name: string
  /** Where a partner's hosts may be led back to; of the public client: oauth_redirects. */
  readonly redirectUris: ReadonlyArray<string>
  readonly isPublic: boolean
}

/** It is the same everywhere and cannot be disabled but by the installation: what it is, is not read. */
const PUBLIC_CLIENT: OAuthClient = { id: PUBLIC_CLIENT_ID, name: "MCP client", redirectUris: [], isPublic: true }

/** Who may ask hosts for access. */
export class Clients extends Context.Service<
  Clients,
  {
    /** Undefined: there is none, it was disabled, or it is the public client and the installation has none. */
    readonly find: (id: string) => Effect.Effect<OAuthClient | undefined>
    /** Whether the client may be led back there (redirect-uri.ts). */
    readonly mayRedirectTo: (client: OAuthClient, uri: string) => Effect.Effect<boolean>
    /** To be told when a host has consented to be led there: the address of a public client is kept from then on. */
    readonly recordRedirect: (uri: string) => Effect.Effect<void>
  }
>()("latchkey/domain/access/oauth/Clients") {
  static readonly layer = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const store = yield* ClientStore
      const hasPublicClient = yield* PublicClientEnabled

      const find = (id: string): Effect.Effect<OAuthClient | undefined> =>
        id === PUBLIC_CLIENT_ID
          ? Effect.succeed(hasPublicClient ? PUBLIC_CLIENT : undefined)
          : Effect.map(store.findPartner(id), (partner) =>
              partner === undefined
                ? undefined
                : { id, name: partner.name, redirectUris: partner.redirectUris, isPublic: false }
            )

      const mayRedirectTo = ({ isPublic, redirectUris }: OAuthClient, uri: string): Effect.Effect<boolean> =>
        isPublic
          ? Effect.map(store.findRegisteredUris(toRegisteredUri(uri)), (registeredUris) =>
              isRegisteredUri(registeredUris, uri, "public")
            )
          : Effect.succeed(isRegisteredUri(redirectUris, uri, "partner"))

      return Clients.of({
        find,
        mayRedirectTo,
        recordRedirect: (uri) =>
          Effect.flatMap(DateTime.nowAsDate, (now) => store.recordRedirectUriUse(toRegisteredUri(uri), now))
      })
    })
  ).pipe(Layer.provide(ClientStore.layer))
}
