import { assert, layer } from "@effect/vitest"
import * as newer from "@modelcontextprotocol/client"
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { Effect } from "effect"
import { toolMetadataOf } from "../../../../src/contract/operation.ts"
import { operations } from "../../../../src/service/Api.ts"
import { createSignInHost, giveConsent, layerOauthService } from "../../../support/domain/access/oauth/oauth-service.ts"
import { BaseUrl } from "../../../support/http-server.ts"

// A hosted MCP client with both official libraries. Its host typed the address with a slash at the end. The client registers with a
// secret and asks for scopes of other services.

const TOOL_COUNT = operations.filter((operation) => toolMetadataOf(operation) !== undefined).length

const CALLBACK = "http://127.0.0.1:33418/api/mcp/auth_callback"

/** Returns a provider for the libraries, and what they store in it. */
const makeProvider = () => {
  const stored: {
    tokens: OAuthTokens | undefined
    client: OAuthClientInformationMixed | undefined
    verifier: string
    authorizationUrl: string
  } = { tokens: undefined, client: undefined, verifier: "", authorizationUrl: "" }
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "Hosted",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_post"
    },
    state: () => "state-of-the-test",
    clientInformation: () => stored.client,
    saveClientInformation: (client) => {
      stored.client = client
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens) => {
      stored.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      stored.authorizationUrl = url.href
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier
    },
    codeVerifier: () => stored.verifier
  }
  return { stored, provider }
}

/** One official library: how it counts the tools, and how it exchanges a code. */
interface Library {
  readonly toolCount: (provider: OAuthClientProvider, url: URL) => Promise<number>
  readonly finish: (provider: OAuthClientProvider, url: URL, callback: URLSearchParams) => Promise<void>
  readonly isUnauthorized: (error: unknown) => boolean
}

const LIBRARIES: Readonly<Record<"sdk" | "client", Library>> = {
  sdk: {
    toolCount: async (authProvider, url) => {
      const client = new Client({ name: "test", version: "1" })
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
      const { tools } = await client.listTools()
      await client.close()
      return tools.length
    },
    finish: (authProvider, url, callback) =>
      new StreamableHTTPClientTransport(url, { authProvider }).finishAuth(callback.get("code") ?? ""),
    isUnauthorized: (error) => error instanceof UnauthorizedError
  },
  client: {
    toolCount: async (authProvider, url) => {
      const client = new newer.Client({ name: "test", version: "1" })
      await client.connect(new newer.StreamableHTTPClientTransport(url, { authProvider }))
      const { tools } = await client.listTools()
      await client.close()
      return tools.length
    },
    finish: (authProvider, url, callback) =>
      new newer.StreamableHTTPClientTransport(url, { authProvider }).finishAuth(callback),
    isUnauthorized: (error) => error instanceof newer.UnauthorizedError
  }
}

layer(layerOauthService)("a hosted MCP client", (it) => {
  it.effect.each(["sdk", "client"] as const)("is given access and renews it, by the library %s", (name) =>
    Effect.gen(function* () {
      const library = LIBRARIES[name]
      const [base, host] = [yield* BaseUrl, yield* createSignInHost]
      const url = new URL(`${base}/mcp/`)
      const { stored, provider } = makeProvider()
      const refusal = yield* Effect.promise(() =>
        library.toolCount(provider, url).then(
          () => undefined,
          (error: unknown) => error
        )
      )
      assert.isTrue(library.isUnauthorized(refusal), String(refusal))
      assert.deepInclude(stored.client, { client_id: "service_mcp", token_endpoint_auth_method: "none" })
      const request = new URL(stored.authorizationUrl)
      request.searchParams.set("scope", "read-only writable offline_access")

      const callbackUrl = new URL(yield* giveConsent(base, host.email, request.href, "allow"))
      yield* Effect.promise(() => library.finish(provider, url, callbackUrl.searchParams))
      assert.strictEqual(stored.tokens?.scope, "writable")
      assert.strictEqual(yield* Effect.promise(() => library.toolCount(provider, url)), TOOL_COUNT)

      const first = stored.tokens
      stored.tokens = { token_type: "Bearer", ...first, access_token: "lk_expired" }
      assert.strictEqual(yield* Effect.promise(() => library.toolCount(provider, url)), TOOL_COUNT)
      assert.notStrictEqual(stored.tokens?.refresh_token, first?.refresh_token)
    })
  )
})
