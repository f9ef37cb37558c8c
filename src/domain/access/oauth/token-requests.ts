import type { BadRequest, RateLimited, Unauthenticated } from "../../../contract/errors.ts"
import type { OAuthClient } from "./Clients.ts"

/** What an exchange or a renewal answers. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Whole seconds from now. */
  readonly expiresIn: number
  readonly scope: "read-only" | "writable"
}

/** A code as its client gives it back; the client has proved who it is. What is undefined was not sent, nor are no resources. */
export interface CodeExchangeRequest {
  readonly client: OAuthClient
  readonly code: string
  readonly verifier: string | undefined
  readonly redirectUri: string | undefined
  readonly resources: ReadonlyArray<string>
}

export interface TokenRefreshRequest {
  readonly client: OAuthClient
  readonly refreshToken: string
  readonly scope: string | undefined
  readonly resources: ReadonlyArray<string>
}

/** Where tokens are given out. */
export interface TokenIssuerContext {
  readonly publicUrl: string
  readonly deployment: string
}

export type TokenRequestError = BadRequest | Unauthenticated | RateLimited
