import { hash } from "node:crypto"
import { isSameDigest } from "../../../admission/gate/credentials.ts"

// Proof key for code exchange (RFC 7636). `plain` is not supported, because it reveals the verifier in the request.

export const isVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text)

export const challengeOf = (verifier: string): string => hash("sha256", verifier, "base64url")

export const matchesChallenge = (verifier: string, challenge: string): boolean =>
  isVerifier(verifier) && isSameDigest(Buffer.from(challengeOf(verifier)), Buffer.from(challenge))
