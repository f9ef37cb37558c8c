import { hash } from "node:crypto"
import { isSameDigest } from "../../../admission/gate/credentials.ts"

// Proof key for code exchange (RFC 7636), by S256 alone: `plain` would give the verifier to whoever reads the request.

/** 43 to 128 unreserved characters (4.1). */
export const isVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text)

/** S256 (4.2). */
export const challengeOf = (verifier: string): string => hash("sha256", verifier, "base64url")

/** Whether it is the verifier of the challenge; in the same time whichever character is the wrong one. */
export const matchesChallenge = (verifier: string, challenge: string): boolean =>
  isVerifier(verifier) && isSameDigest(Buffer.from(challengeOf(verifier)), Buffer.from(challenge))
