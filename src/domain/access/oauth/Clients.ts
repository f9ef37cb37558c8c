import { Context, DateTime, Effect, Layer } from "effect"
import { PublicClientEnabled } from "../../../platform/installation.ts"
import { ClientStore } from "./clients/ClientStore.ts"
import { isRegisteredUri, toRegisteredUri } from "./redirect-uri.ts"

/** All MCP users share this client (specification, Webhooks and OAuth). It has no secret and uses PKCE. */
export const PUBLIC_CLIENT_ID = "service_mcp"

export interface OAuthClient {
  readonly id: string
  readonly name: string
  /** Empty for the public client, whose addresses are in table oauth_redirects. */
  readonly redirectUris: ReadonlyArray<string>
  readonly isPublic: boolean
}

const PUBLIC_CLIENT: OAuthClient = { id: PUBLIC_CLIENT_ID, name: "MCP client", redirectUris: [], isPublic: true }

export class Clients extends Context.Service<
  Clients,
  {
    /** Returns undefined if the client is unknown or disabled. */
    readonly find: (id: string) => Effect.Effect<OAuthClient | undefined>
    readonly mayRedirectTo: (client: OAuthClient, uri: string) => Effect.Effect<boolean>
    /** Protects an address of the public client from deletion, because a host has consented to it. */
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
