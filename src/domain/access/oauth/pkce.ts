import { hash } from "node:crypto"
import { isSameDigest } from "../../../admission/gate/credentials.ts"

// Proof key for code exchange (RFC 7636). Only S256 is supported, because `plain` would reveal the verifier in the
// request.

/** Checks the syntax of RFC 7636 4.1. */
export const isVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text)

/** Computes the S256 challenge (RFC 7636 4.2). */
export const challengeOf = (verifier: string): string => hash("sha256", verifier, "base64url")

/** Compares in constant time. */
export const matchesChallenge = (verifier: string, challenge: string): boolean =>
  isVerifier(verifier) && isSameDigest(Buffer.from(challengeOf(verifier)), Buffer.from(challenge))
