// The API page: RapiDoc in the reader's colours, with samples for this address, and a menu on narrow screens.

const COLOURS = {
  light: { "primary-color": "#1c4ea1", "bg-color": "#ffffff", "text-color": "#17202d", "nav-bg-color": "#f5f7fa", "nav-text-color": "#17202d" },
  dark: { "primary-color": "#9ac1ff", "bg-color": "#13161b", "text-color": "#e8eaed", "nav-bg-color": "#181c22", "nav-text-color": "#e8eaed" },
};
/** The address in the samples of the OpenAPI document. */
const SAMPLE_ADDRESS = "http://127.0.0.1:8000";
const METHODS = ["get", "post"];

const chosen = localStorage.getItem("lexlattice.theme");
const theme = chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
const page = document.querySelector("rapi-doc");
const menu = document.querySelector("#operations");

document.documentElement.dataset.theme = theme;
completeShadowRoots();
page.addEventListener("before-render", (event) => addressSamples(event.detail.spec));
page.addEventListener("spec-loaded", (event) => {
  fillMenu(event.detail.tags);
  page.shadowRoot.querySelector(".nav-bar").setAttribute("aria-label", "Operations");
});
menu.addEventListener("change", () => page.scrollToPath(menu.value));
// Last: RapiDoc begins when it has its attributes.
for (const [name, value] of Object.entries({ theme, ...COLOURS[theme], "spec-url": "openapi.json" })) page.setAttribute(name, value);

/** Apply api-inside.css within RapiDoc, whose elements all have shadow roots, and name the fields that it leaves unnamed. */
function completeShadowRoots() {
  const sheet = new CSSStyleSheet();
  fetch("api-inside.css").then((response) => response.text()).then((text) => sheet.replace(text));
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(options) {
    const root = attach.call(this, options);
    this.dataset.theme = theme;
    // RapiDoc sets its own style sheets right after this call.
    queueMicrotask(() => root.adoptedStyleSheets.push(sheet));
    new MutationObserver(() => nameFields(root)).observe(root, { childList: true, subtree: true });
    return root;
  };
}

/** @param {ShadowRoot} root */
function nameFields(root) {
  for (const field of root.querySelectorAll(":is(input, select, textarea):not([aria-label])")) {
    const owner = field.dataset.pname ?? root.host.dataset.pname;
    field.setAttribute("aria-label", owner ?? (field.placeholder || (field.matches("select") ? "Media type" : "Body")));
  }
}

/** Let the samples ask the service that this page came from. */
function addressSamples(spec) {
  const address = new URL(".", location.href).href.slice(0, -1);
  for (const operations of Object.values(spec.paths)) {
    for (const method of METHODS) {
      for (const sample of operations[method]?.["x-codeSamples"] ?? []) {
        sample.source = sample.source.replaceAll(SAMPLE_ADDRESS, address);
      }
    }
  }
}

/** List the operations by tag, for screens too narrow for RapiDoc's navigation. */
function fillMenu(tags) {
  menu.replaceChildren(new Option("Overview", "overview"), ...tags.map((tag) => {
    const group = document.createElement("optgroup");
    group.label = tag.name;
    group.append(...tag.paths.map((each) => new Option(each.summary, each.elementId)));
    return group;
  }));
}
