// What this service gives out begins with its own prefix (`lk_` access tokens, `whsec_` signing secrets) so that it can be
// found wherever it lands; anything after Bearer and any password of an address is one whoever made it. Base64 padding
// and its two signs belong to a signing secret.
const PREFIXED = /\b(lk[a-z]*|whsec)_[A-Za-z0-9_+/-]{8,}=*/g
const BEARER = /\b(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi
const PASSWORD_OF_ADDRESS = /(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g

// Nearly no text has any of these in it, and to look for all of them at once is cheaper than to replace each.
const SECRET_HINT = /lk|whsec|bearer|:\/\//i

/** The text without the tokens, signing secrets and passwords in it. The last step before a text leaves as telemetry. */
export const redactSecrets = (text: string): string =>
  SECRET_HINT.test(text)
    ? text
        .replace(PREFIXED, "$1_<redacted>")
        .replace(BEARER, "$1<redacted>")
        .replace(PASSWORD_OF_ADDRESS, "$1<redacted>@")
    : text
