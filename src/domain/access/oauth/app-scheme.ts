// RFC 8252 7.1 requires a reversed domain name, but MCP clients use schemes such as `cursor:`. So most schemes without
// a dot are accepted.
//
// Some schemes open a web address in a browser (`x-safari-https:`). With them any site could receive the code. They are
// rejected.

const BROWSER_SCHEMES = [
  "http https ws wss ftp ftps sftp file filesystem blob data javascript vbscript livescript mocha jar about",
  "chrome chrome-extension chrome-search chrome-untrusted devtools edge brave opera vivaldi moz-extension moz-icon resource",
  "safari-extension safari-web-extension view-source webkit wyciwyg feed webcal cid mid urn",
  "x-web-search icabmobile ddgquicklink duckduckgo dolphin ecosia puffin"
]

const SYSTEM_SCHEMES = [
  "mailto tel telprompt callto sms smsto mms mmsto sip sips geo maps facetime facetime-audio xmpp irc ircs magnet",
  "intent content android-app android-resource market package prefs app-prefs app-settings itms itmss itms-apps itms-appss",
  "itms-services macappstore macappstores shortcuts applescript help shell search search-ms ldap ldaps ssh telnet rlogin",
  "tn3270 gopher news nntp nfs smb afp cifs dav davs svn git rtsp rtmp mms vnc rdp res mk hcp mhtml its ms-its dns dict",
  "bitcoin lightning ethereum openid openid4vp steam"
]

const RESERVED_SCHEMES = new Set([...BROWSER_SCHEMES, ...SYSTEM_SCHEMES].flatMap((each) => each.split(" ")))

/** Includes schemes of Windows (`ms-settings`), and schemes that any website may register (`web+`). */
const RESERVED_SCHEME_PREFIX = /^(?:ms-|microsoft|web\+|x-apple|x-man-page|view-|chrome|moz-)/

/** Rejects schemes that contain these words anywhere, because new browser schemes keep appearing. */
const BROWSER_NAME = /http|chrome|safari|firefox|opera|edge|browser/

/** Expects a lower-case scheme. */
export const isAppScheme = (scheme: string): boolean =>
  /^[a-z0-9+-]+(?:\.[a-z0-9+-]+)+$/.test(scheme) ||
  (/^[a-z][a-z0-9+-]+$/.test(scheme) &&
    !RESERVED_SCHEMES.has(scheme) &&
    !RESERVED_SCHEME_PREFIX.test(scheme) &&
    !BROWSER_NAME.test(scheme))
