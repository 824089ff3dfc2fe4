// Panes, drawers and the sheet of narrow screens; menus; theme.

export function initLayout() {}
