// @ts-check
// A classic script in the head, so that the chosen theme is there before the first paint.
"use strict";
try {
  const theme = localStorage.getItem("windowed.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* storage is forbidden: the system's theme it is */ }
