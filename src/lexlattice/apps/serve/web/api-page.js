// The API page in the reader's colours, light or dark: as chosen in the reader, or as the system has it.

const COLOURS = {
  light: { "primary-color": "#1c4ea1", "bg-color": "#ffffff", "text-color": "#17202d", "nav-bg-color": "#f5f7fa", "nav-text-color": "#17202d" },
  dark: { "primary-color": "#9ac1ff", "bg-color": "#13161b", "text-color": "#e8eaed", "nav-bg-color": "#181c22", "nav-text-color": "#e8eaed" },
};
const chosen = localStorage.getItem("lexlattice.theme");
const theme = chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
const page = document.querySelector("rapi-doc");
for (const [name, value] of Object.entries({ theme, ...COLOURS[theme] })) page.setAttribute(name, value);
document.documentElement.dataset.theme = theme;
