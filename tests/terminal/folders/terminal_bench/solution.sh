#!/bin/bash
cat > /app/greet.sh <<'END'
#!/bin/bash
echo "Hello, ${1:-world}!"
END
