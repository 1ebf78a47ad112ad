// The style of the page that html.cpp writes.
#pragma once

namespace cairn::lab::trace {

inline constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #22262b; --faint: #6d747c; --rule: #dcd9d1; --card: #ffffff;
  --calm: #3a86a8; --moved: #f3cf8e; --idle: #eceae4; --asked: #3a86a8; --way: #9aa3ab; --alarm: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181b; --ink: #e4e6e8; --faint: #98a0a8; --rule: #343a40; --card: #1c2024;
    --calm: #4aa3c9; --moved: #7a5c22; --idle: #262b30; --asked: #6cc0e5; --way: #5b646c; --alarm: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 26px; margin: 0 0 2px; }
h2 { font-size: 20px; margin: 44px 0 2px; padding-top: 18px; border-top: 1px solid var(--rule); }
h3 { font-size: 16px; margin: 26px 0 8px; }
p { margin: 0 0 10px; max-width: 90ch; }
.faint { color: var(--faint); }
.mono, code, pre, table.source { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.wide { overflow-x: auto; width: fit-content; max-width: 100%; border: 1px solid var(--rule); border-radius: 6px; background: var(--card); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
table.counters th, table.counters td { padding: 3px 14px; text-align: right; border-bottom: 1px solid var(--rule);
  min-width: 16ch; overflow-wrap: anywhere; }
table.counters th:first-child { text-align: left; font-weight: normal; color: var(--faint); white-space: nowrap;
  position: sticky; left: 0; background: var(--card); border-right: 1px solid var(--rule); }
table.counters tr:first-child th { color: var(--ink); font-weight: 600; }
table.source { font-size: 12px; line-height: 1.55; }
table.source th { font: 12px system-ui, sans-serif; color: var(--faint); text-align: right; padding: 6px 8px;
  border-bottom: 1px solid var(--rule); }
table.source th:last-child { text-align: left; }
table.source td { padding: 0 7px; text-align: right; white-space: pre; vertical-align: top; }
table.source td.heat { width: 8px; padding: 0; }
table.source td.number { color: var(--faint); border-right: 1px solid var(--rule); }
table.source td:last-child { text-align: left; padding-right: 14px; }
.pictures { display: flex; flex-wrap: wrap; gap: 20px; align-items: flex-start; }
figure { margin: 0; padding: 14px 16px; border: 1px solid var(--rule); border-radius: 6px; background: var(--card);
  max-width: 100%; }
figure h3 { margin: 0 0 4px; }
figcaption { font-size: 13.5px; max-width: 480px; margin-bottom: 10px; }
svg { max-width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--faint); }
svg .empty, svg .idle { fill: var(--idle); }
svg .moved { fill: var(--moved); }
svg .asked, svg .bar, svg .asks { fill: var(--asked); }
svg .rests { fill: var(--idle); }
svg .way { fill: none; stroke: var(--way); stroke-width: 1; opacity: 0.7; }
.findings li { color: var(--alarm); margin-bottom: 6px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; max-width: 100ch; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; }
.key { white-space: nowrap; margin-right: 10px; color: var(--faint); }
.key i { display: inline-block; width: 11px; height: 11px; border-radius: 2px; vertical-align: -1px; margin-right: 5px; }
@media print { .wide { overflow: visible; width: auto; } table.counters th, table.counters td { min-width: 0; padding: 2px 4px; } }
@media (max-width: 700px) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 8px; } main { padding: 18px 12px; } }
)css";

}  // namespace cairn::lab::trace
