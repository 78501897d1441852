//! Text for people to read.

/// Text as HTML that shows it, also between double quotes.
pub fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            plain => html.push(plain),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_templates_are_no_markup() {
        assert_eq!(html("f<\"a\">(b&&)"), "f&lt;&quot;a&quot;&gt;(b&amp;&amp;)");
    }
}
