import type { LinkPurpose } from "./link-purposes.ts"
import { toLinkUrl } from "./link-url.ts"

interface LinkMail {
  readonly purpose: LinkPurpose
  readonly email: string
  readonly token: string
  readonly publicUrl: string
}

const toParagraphs = (...paragraphs: ReadonlyArray<string>): string => `${paragraphs.join("\n\n")}\n`

export const renderLinkMail = ({ purpose, email, token, publicUrl }: LinkMail) => {
  const url = toLinkUrl(publicUrl, purpose, token)
  switch (purpose) {
    case "reset_password":
      return {
        subject: "Reset your Latchkey password",
        text: toParagraphs(
          `A new password was requested for the account ${email} at ${publicUrl}.`,
          `Open this link within 30 minutes to choose a new password:\n${url}`,
          "The link works once. If you did not request it, ignore this mail. Your password stays as it is."
        )
      }
    case "verify_email":
      return {
        subject: "Confirm your e-mail address for Latchkey",
        text: toParagraphs(
          `The account ${email} at ${publicUrl} requests notifications at this address.`,
          `Open this link within 24 hours to confirm the address:\n${url}`,
          "The link works once. If you did not request it, ignore this mail. You will get no notifications."
        )
      }
  }
}
